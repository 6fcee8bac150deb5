import type { SkippedEvent } from "@promptfold/fold";
import { oneLine } from "../terminal/one-line.ts";
import { sayNote } from "../terminal/say-note.ts";
import { formatCount } from "./format-count.ts";

/** Events that a replay passed over: those that it lists, and how many there were. */
export interface Skipped {
  readonly skipped: readonly SkippedEvent[];
  readonly skippedCount: number;
}

/** How many kinds of skipped events are told one by one. */
const MAX_TOLD = 20;

/** Says which events were passed over: a note for each type and kind, at the first of them. */
export function tellSkipped(name: string, { skipped, skippedCount }: Skipped): void {
  // What is malformed was meant for the model: it comes first.
  const groups = [...groupSkipped(skipped).values()].sort(
    ([a], [b]) => Number(a.kind === "unknown") - Number(b.kind === "unknown"),
  );
  for (const [first, count] of groups.slice(0, MAX_TOLD)) {
    const { offset, type, kind, issues } = first;
    const [issue] = issues;
    const what = `${kind} event${count === 1 ? "" : "s"} ${oneLine(type, 80)}`;
    const which = count === 1 ? `${what} skipped` : `${formatCount(count)} ${what} skipped, the first here`;
    const why = issue === undefined ? "" : `: ${issue.path === "" ? "" : `${issue.path}: `}${issue.message}`;
    sayNote(`${name}@${offset}`, oneLine(`${which}${why}`, 300));
  }
  const untold = groups.slice(MAX_TOLD);
  const events = untold.reduce((sum, [, count]) => sum + count, 0);
  if (events > 0)
    sayNote(
      name,
      `${formatCount(events, "event")} of ${formatCount(untold.length, "other type")} skipped as well`,
    );
  const unlisted = skippedCount - skipped.length;
  if (unlisted > 0) {
    const after = skipped.at(-1)?.offset ?? 0;
    const all = formatCount(skippedCount);
    sayNote(
      name,
      `${formatCount(unlisted, "more event")} skipped after @${after}, ${all} in all; their types are not listed`,
    );
  }
}

/** The first event of each type and kind, and how many there are of it. */
function groupSkipped(
  skipped: readonly SkippedEvent[],
): Map<string, readonly [first: SkippedEvent, count: number]> {
  const groups = new Map<string, readonly [first: SkippedEvent, count: number]>();
  for (const event of skipped) {
    const name = `${event.kind} ${event.type}`;
    const [first, count] = groups.get(name) ?? [event, 0];
    groups.set(name, [first, count + 1]);
  }
  return groups;
}
