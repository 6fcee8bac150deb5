import { type BodyBlock, isSameBlock, type PrefixBreak } from "@promptfold/renderer";
import { isByModel, isToolResult, leadLength } from "../bodies/body-content.ts";
import type { ExplainedCause } from "./explained-cause.ts";
import { changedFields, isBesideContent } from "./field-cause.ts";
import { withoutVarying } from "./varying-text.ts";

/** How many blocks a summary may have. */
const MAX_SUMMARY = 3;
/** How many blocks have to agree, as far as there are so many: one equal text may be chance ("ok"). */
const RUN = 4;

type Blocks = readonly BodyBlock[];

/** Whether blocks that were sent are gone, stand at the end again, or have something put in before them. */
export function movedCause(before: Blocks, after: Blocks, block: number): ExplainedCause | undefined {
  if (after.length <= block) {
    const gone = before.length - block;
    const what = gone === 1 ? "the last block" : `the last ${gone} blocks`;
    return {
      cause: "history-trimmed",
      detail: `${what} of the request before ${gone === 1 ? "is" : "are"} gone`,
    };
  }
  const pushed = findRun(after, before, block, block + 1);
  if (isTailLeftOut(before, after, block, pushed)) return tailCause(pushed !== undefined);
  const kept = findRun(before, after, block, block + 1);
  if (kept !== undefined) {
    return {
      cause: "history-trimmed",
      detail: `${countBlocks(kept - block, "that had been sent")} taken out`,
    };
  }
  // A text that was edited in place may occur again by chance.
  if (goesOnAlike(before, after, block, isSameBlock)) return undefined;
  if (pushed !== undefined) {
    return {
      cause: "message-inserted",
      detail: `${countBlocks(pushed - block)} put in before what had been sent`,
    };
  }
  if (isSpreadOver(before, after, block)) {
    return {
      cause: "history-trimmed",
      detail: "blocks that had been sent were taken out at more than one place",
    };
  }
  if (isSpreadOver(after, before, block)) {
    return {
      cause: "message-inserted",
      detail: "blocks were put in before what had been sent at more than one place",
    };
  }
  return undefined;
}

/** Whether messages stand for more of what was sent, before others that stayed. */
export function summaryCause(
  before: Blocks,
  after: Blocks,
  { block, path }: PrefixBreak,
): ExplainedCause | undefined {
  const isLead = block < leadLength(before) || block < leadLength(after);
  if (isLead || goesOnAlike(before, after, block, isSameButForVarying)) return undefined;
  for (let length = 1; length <= MAX_SUMMARY && block + length < after.length; length++) {
    const kept = findRun(before, after, block + length, block + length + 1);
    if (kept === undefined) continue;
    const replaced = countBlocks(kept - block, "that had been sent");
    const where = length === 1 ? `one, at ${path}` : `${length}, from ${path} on`;
    return { cause: "history-summarised", detail: `${replaced} replaced by ${where}` };
  }
  return undefined;
}

/** Why what was sent last, or earlier, reads differently. */
export function rewrittenCause(before: Blocks, after: Blocks, { block, path }: PrefixBreak): ExplainedCause {
  const isField = isBesideContent(before, block) && isBesideContent(after, block);
  if (!isField && isTailReplaced(before, after, block)) return tailCause(false);
  const fields = changedFields(before[block], after[block]);
  if (fields !== undefined) return fields;
  return { cause: "history-rewritten", detail: `what was sent as ${path} reads differently now` };
}

function tailCause(isMoved: boolean): ExplainedCause {
  const how = isMoved ? "moved to the end of this one" : "is gone from its place in this one";
  return { cause: "tail-replaced", detail: `the last text of the request before ${how}` };
}

/**
 * Whether what came after the model's newest words was not sent again there, and the model's answer has its place: a
 * reminder, or what is put before the newest message alone. It may stand at the end again, as `moved` says.
 */
function isTailLeftOut(before: Blocks, after: Blocks, block: number, moved: number | undefined): boolean {
  const tail = before.slice(block);
  if (block < leadLength(before) || tail.some((each) => isByModel(each) || isToolResult(each))) return false;
  // Where it was answered after all, something was put in before it.
  if (moved !== undefined && after.slice(moved).some(isByModel)) return false;
  if (isByModelAt(after, block)) return true;
  // Nobody puts in what the model said: the history went on before a text that is always last.
  if (moved !== undefined && after.slice(block, moved).some(isByModel)) return true;
  const left = tail.findIndex((each, at) => at > 0 && isSameBlock(each, after[block]));
  const isAnswered =
    left !== -1 &&
    tail.slice(left).every((each, at) => isSameBlock(each, after[block + at])) &&
    isByModelAt(after, block + tail.length - left);
  return isAnswered && (tail.length === 2 || before.slice(0, block).some(isByModel));
}

function isByModelAt(blocks: Blocks, at: number): boolean {
  const block = blocks[at];
  return block !== undefined && isByModel(block);
}

/** Whether another text stands where the last one stood; not: it reads differently, and the history goes on. */
function isTailReplaced(before: Blocks, after: Blocks, block: number): boolean {
  const [gone, now] = [before[block], after[block]];
  if (gone === undefined || now === undefined || before.length - block > 2) return false;
  if (isByModel(gone) || isToolResult(gone)) return false;
  return now.role !== gone.role || after.length - block <= 2;
}

/** Where in a list, from a place on, what the other one has from `at` on occurs and goes on. */
function findRun(list: Blocks, other: Blocks, at: number, start: number): number | undefined {
  const wanted = other[at];
  for (let index = start; index < list.length; index++) {
    if (isSameBlock(list[index], wanted) && agree(list, index, other, at, isSameBlock)) return index;
  }
  return undefined;
}

/** Whether a list has, after a place, what the other one has from there on, in its order and with more in between. */
function isSpreadOver(list: Blocks, other: Blocks, block: number): boolean {
  const wanted = other.slice(block, block + RUN);
  let found = 0;
  for (let index = block + 1; index < list.length && found < wanted.length; index++)
    if (isSameBlock(list[index], wanted[found])) found++;
  return found === RUN;
}

/** Whether two bodies go on alike after a block that differs, in its place: then it was edited, and nothing moved. */
function goesOnAlike(before: Blocks, after: Blocks, block: number, isSame: typeof isSameBlock): boolean {
  const hasMore = block + 1 < Math.min(before.length, after.length);
  return hasMore && agree(before, block + 1, after, block + 1, isSame);
}

function agree(a: Blocks, fromA: number, b: Blocks, fromB: number, isSame: typeof isSameBlock): boolean {
  const length = Math.min(a.length - fromA, b.length - fromB, RUN);
  for (let step = 0; step < length; step++) if (!isSame(a[fromA + step], b[fromB + step])) return false;
  return true;
}

function isSameButForVarying(a: Parameters<typeof isSameBlock>[0], b: typeof a): boolean {
  if (a?.role !== b?.role || a === undefined || b === undefined) return false;
  return a.text === b.text || withoutVarying(a.text) === withoutVarying(b.text);
}

/** `1 block was`, `2 blocks that had been sent were`. */
function countBlocks(blocks: number, which = ""): string {
  const what = `${blocks === 1 ? "1 block" : `${blocks} blocks`}${which === "" ? "" : ` ${which}`}`;
  return `${what} ${blocks === 1 ? "was" : "were"}`;
}
