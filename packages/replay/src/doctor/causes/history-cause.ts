import { type BodyBlock, isSameBlock, type PrefixBreak } from "@promptfold/renderer";
import { isByModel, isToolResult } from "../bodies/body-content.ts";
import type { ExplainedCause } from "./explained-cause.ts";

/** How many blocks a summary may have. */
const MAX_SUMMARY = 3;

/** Whether blocks were taken out of what was sent, or put in between. */
export function movedCause(
  before: readonly BodyBlock[],
  after: readonly BodyBlock[],
  block: number,
): ExplainedCause | undefined {
  if (after.length <= block) {
    const gone = before.length - block;
    const what = gone === 1 ? "the last block" : `the last ${gone} blocks`;
    return {
      cause: "history-trimmed",
      detail: `${what} of the request before ${gone === 1 ? "is" : "are"} gone`,
    };
  }
  const kept = findRun(before, after[block], block + 1, after, block);
  if (kept !== undefined) {
    return {
      cause: "history-trimmed",
      detail: `${countBlocks(kept - block, "that had been sent")} taken out`,
    };
  }
  const pushed = findRun(after, before[block], block + 1, before, block);
  if (pushed !== undefined) {
    return {
      cause: "message-inserted",
      detail: `${countBlocks(pushed - block)} put in before what had been sent`,
    };
  }
  return undefined;
}

/** Why what was sent last, or earlier, reads differently. */
export function rewrittenCause(
  before: readonly BodyBlock[],
  after: readonly BodyBlock[],
  { block, path }: PrefixBreak,
): ExplainedCause {
  if (isTailReplaced(before, after, block)) {
    return {
      cause: "tail-replaced",
      detail: "the last text of the request before is gone from its place in this one",
    };
  }
  const summary = findSummary(before, after, block);
  if (summary !== undefined) {
    const [old, now] = [countBlocks(summary.replaced, "that had been sent"), summary.length];
    return {
      cause: "history-summarised",
      detail: `${old} replaced by ${now === 1 ? "one, at" : `${now}, from`} ${path}${now === 1 ? "" : " on"}`,
    };
  }
  return { cause: "history-rewritten", detail: `what was sent as ${path} reads differently now` };
}

/** How many blocks from a place on stand for how many more of the earlier body, which goes on after these. */
function findSummary(
  before: readonly BodyBlock[],
  after: readonly BodyBlock[],
  block: number,
): { readonly replaced: number; readonly length: number } | undefined {
  for (let length = 1; length <= MAX_SUMMARY && block + length < after.length; length++) {
    const end = block + length;
    const kept = findRun(before, after[end], end + 1, after, end);
    if (kept !== undefined) return { replaced: kept - block, length };
  }
  return undefined;
}

/** Whether what was sent last is gone from its place, as a reminder that moves; not: reads differently there. */
function isTailReplaced(before: readonly BodyBlock[], after: readonly BodyBlock[], block: number): boolean {
  const [gone, now] = [before[block], after[block]];
  if (gone === undefined || now === undefined || before.length - block > 2) return false;
  if (isByModel(gone) || isToolResult(gone)) return false;
  return now.role !== gone.role || after.length - block <= 2;
}

/** Where in a list a block occurs from which on the list goes on as the other one does. */
function findRun(
  list: readonly BodyBlock[],
  wanted: BodyBlock | undefined,
  start: number,
  other: readonly BodyBlock[],
  from: number,
): number | undefined {
  const index = list.findIndex((each, at) => at >= start && isSameBlock(each, wanted));
  if (index === -1) return undefined;
  // One equal text may be chance ("ok"); what follows has to agree as far as both go.
  const rest = Math.min(list.length - index, other.length - from, 4);
  for (let step = 1; step < rest; step++)
    if (!isSameBlock(list[index + step], other[from + step])) return undefined;
  return index;
}

/** `1 block was`, `2 blocks that had been sent were`. */
function countBlocks(blocks: number, which = ""): string {
  const what = `${blocks === 1 ? "1 block" : `${blocks} blocks`}${which === "" ? "" : ` ${which}`}`;
  return `${what} ${blocks === 1 ? "was" : "were"}`;
}
