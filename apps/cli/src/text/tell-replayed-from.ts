import { sayNote } from "../terminal/say-note.ts";

/** Says where a replay began, when it began at a kept state: what stands before was not read again. */
export function tellReplayedFrom(name: string, { replayedFrom }: { readonly replayedFrom: number }): void {
  if (replayedFrom > 0) sayNote(name, `replayed from the state kept at @${replayedFrom}`);
}
