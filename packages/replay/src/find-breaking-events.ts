import type { TextOrigin } from "@promptfold/renderer";
import type { HistoryChange } from "./replay-state.ts";

/** An event that may have broken a prefix. */
export interface BreakingEvent {
  readonly offset: number;
  /** What it did to what had been sent; or, where no event changed that, what it added. */
  readonly kind: HistoryChange["kind"] | TextOrigin["kind"];
  /** The key of the section that it is about; `*` for a rewrite of everything. */
  readonly key?: string | undefined;
}

/** Where two texts part, and whether they were made by different mappings. */
export interface Parting {
  readonly previousOrigin: TextOrigin | undefined;
  readonly nextOrigin: TextOrigin | undefined;
  readonly isOtherMapping: boolean;
}

/**
 * Which of the changes of history between two requests may have broken the prefix, most likely first: by the part of the
 * text that the first difference lies in, then the newest. Where there was no change, the event that wrote what stands
 * there: one of the two was no request then, or they are of two streams. None where the difference is the mapping's or
 * the protocol's.
 */
export function findBreakingEvents(
  changes: readonly HistoryChange[],
  { previousOrigin, nextOrigin, isOtherMapping }: Parting,
): readonly BreakingEvent[] {
  const origin = nextOrigin ?? previousOrigin;
  if (origin?.kind === "protocol") return [];
  const ranked = changes
    .map((change) => ({ change, rank: rankChange(change, previousOrigin, nextOrigin) }))
    // What another mapping writes differently anyway, only an event that is about that very place explains better.
    .filter(({ rank }) => !isOtherMapping || rank < ELSEWHERE)
    .sort((a, b) => a.rank - b.rank || b.change.offset - a.change.offset);
  if (ranked.length > 0) return ranked.map(({ change }) => change);
  return origin === undefined || isOtherMapping ? [] : [origin];
}

/** From this rank on, a change is not known to be about the place of the difference. */
const ELSEWHERE = 3;

/** How well a change explains that one text stands where another one did: the lower, the better. */
function rankChange(
  { offset, kind, key }: HistoryChange,
  previous: TextOrigin | undefined,
  next: TextOrigin | undefined,
): number {
  const wroteIt = offset === next?.offset;
  const isAboutPrevious = key !== undefined && (key === previous?.key || key === "*");
  if (wroteIt && (isAboutPrevious || kind === "compaction" || previous?.key === undefined)) return 0;
  // What stood there went, and so something else stands there.
  if (isAboutPrevious) return 1;
  if (wroteIt || (key !== undefined && key === next?.key)) return 2;
  // A compaction moves everything, a rewrite only what it names.
  return kind === "compaction" ? ELSEWHERE : ELSEWHERE + 1;
}
