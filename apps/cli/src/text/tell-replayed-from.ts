import { say } from "../terminal/write-out.ts";

/** Says where a replay began, when it began at a kept state: what stands before was not read again. */
export function tellReplayedFrom(name: string, { replayedFrom }: { readonly replayedFrom: number }): void {
  if (replayedFrom > 0) say(`note: ${name}: replayed from the state kept at @${replayedFrom}`);
}
