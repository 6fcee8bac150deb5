import { type BodyBlock, isSameBlock, type PrefixVerdict, type ReadBody } from "@promptfold/renderer";
import {
  type BodyContent,
  isByModel,
  isTool,
  isToolResult,
  leadingSystem,
  toolDefinitions,
} from "./body-content.ts";
import type { BlockMedia } from "./read-media.ts";
import { changesAt } from "./varying-text.ts";

/** Why a prefix broke, as far as two bodies can tell. */
export type BreakCause =
  | "clock"
  | "varying-id"
  | "tools-reordered"
  | "tools-changed"
  | "system-edited"
  | "history-trimmed"
  | "history-rewritten"
  | "message-inserted"
  | "tail-replaced"
  | "shape-changed"
  | "media-changed"
  | "model-changed"
  | "settings-changed"
  | "api-changed";

/** A cause with what was seen of it, in one sentence. */
export interface ExplainedCause {
  readonly cause: BreakCause;
  readonly detail: string;
}

/** Why the later of two bodies does not begin with the earlier one; undefined when it does. */
export function breakCause(
  { body: previous, media: oldMedia }: BodyContent,
  { body: next, media }: BodyContent,
  verdict: PrefixVerdict,
): ExplainedCause | undefined {
  const found = verdict.break;
  if (found === undefined) return undefined;
  if (found.kind === "format") {
    return {
      cause: "api-changed",
      detail: `the body before speaks ${previous.format}, this one ${next.format}`,
    };
  }
  if (found.kind === "shape") {
    return {
      cause: "shape-changed",
      detail: `the text at ${found.path} is the same, but its message was written in another form or grew after it was sent`,
    };
  }
  const swapped = mediaCause(oldMedia.get(found.block), media.get(found.block), found.path);
  if (swapped !== undefined) return swapped;
  if (isTool(found.previous) || isTool(found.next)) return toolsCause(previous, next);
  const varying =
    found.kind === "text" && found.previous !== undefined && found.next !== undefined
      ? changesAt(found.previous.text, found.next.text, found.character)
      : undefined;
  if (varying === "clock") {
    return {
      cause: "clock",
      detail: `a date or a time in the ${found.role} text is another one in each request`,
    };
  }
  if (varying === "id") {
    return {
      cause: "varying-id",
      detail: `an identifier in the ${found.role} text is another one in each request`,
    };
  }
  const moved = historyCause(previous.blocks, next.blocks, found.block);
  if (moved !== undefined) return moved;
  if (found.block < leadingSystem(previous.blocks) || found.block < leadingSystem(next.blocks)) {
    return { cause: "system-edited", detail: `the text of ${found.path} was edited in place` };
  }
  return isTailReplaced(previous, next, found.block)
    ? {
        cause: "tail-replaced",
        detail: "the last text of the request before is gone from its place in this one",
      }
    : { cause: "history-rewritten", detail: `what was sent as ${found.path} reads differently now` };
}

/** Settings that changed and by themselves empty the cache, or the part of it that holds the messages. */
export function settingsCause(
  previous: ReadBody,
  next: ReadBody,
): (ExplainedCause & { readonly keeps: "nothing" | "system" }) | undefined {
  const changed = (name: string): boolean => previous.settings.get(name) !== next.settings.get(name);
  if (changed("model")) {
    const names = [previous, next].map(({ settings }) => settings.get("model") ?? "none");
    return {
      cause: "model-changed",
      detail: `the model was ${names[0]} and is ${names[1]}`,
      keeps: "nothing",
    };
  }
  for (const name of ["response_format", "text", "output_format"]) {
    if (changed(name))
      return { cause: "settings-changed", detail: `\`${name}\` is another one`, keeps: "nothing" };
  }
  if (next.format === "anthropic-messages") {
    for (const name of ["tool_choice", "thinking"]) {
      if (changed(name))
        return { cause: "settings-changed", detail: `\`${name}\` is another one`, keeps: "system" };
    }
  }
  return undefined;
}

/** Whether what was sent last is gone from its place, as a reminder that moves; not: reads differently there. */
function isTailReplaced({ blocks: before }: ReadBody, { blocks: after }: ReadBody, block: number): boolean {
  const [gone, now] = [before[block], after[block]];
  if (gone === undefined || now === undefined || before.length - block > 2) return false;
  if (isByModel(gone) || isToolResult(gone)) return false;
  return now.role !== gone.role || after.length - block <= 2;
}

/** Whether two blocks differ in an image, a clip or a file alone. */
function mediaCause(
  before: BlockMedia | undefined,
  after: BlockMedia | undefined,
  path: string,
): ExplainedCause | undefined {
  if (before === undefined || after === undefined || before.rest !== after.rest) return undefined;
  const at = before.list.findIndex(({ label }, index) => label !== after.list[index]?.label);
  const [old, now] = [before.list[at], after.list[at]];
  if (old === undefined || now === undefined) return undefined;
  if (
    old.address !== undefined &&
    now.address !== undefined &&
    addressOf(old.address) === addressOf(now.address)
  ) {
    return {
      cause: "varying-id",
      detail: `the address of the ${old.kind} at ${path} has another signature or query in each request`,
    };
  }
  return {
    cause: "media-changed",
    detail: `another ${now.kind} stands at ${path}, or the same one encoded anew`,
  };
}

/** An address without its query, which signatures are put in. */
function addressOf(address: string): string {
  return address.replace(/[?#].*$/s, "");
}

function toolsCause(previous: ReadBody, next: ReadBody): ExplainedCause {
  const [before, after] = [previous, next].map(({ blocks }) =>
    blocks.filter(isTool).flatMap(({ text }) => toolDefinitions(text)),
  );
  const [old, current] = [new Set(before), new Set(after)];
  const gone = [...old].filter((text) => !current.has(text)).map(toolName);
  const added = [...current].filter((text) => !old.has(text)).map(toolName);
  if (gone.length === 0 && added.length === 0) {
    return { cause: "tools-reordered", detail: "the same tools come in another order" };
  }
  const changed = gone.filter((name) => added.includes(name));
  const parts = [
    ["changed", changed],
    ["removed", gone.filter((name) => !changed.includes(name))],
    ["added", added.filter((name) => !changed.includes(name))],
  ] as const;
  const detail = parts
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what}: ${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""}`);
  return { cause: "tools-changed", detail: `tools ${detail.join("; ")}` };
}

function toolName(text: string): string {
  return /"name":"([^"]{1,80})"/.exec(text)?.[1] ?? text.slice(0, 40);
}

/** Whether blocks were taken out of what was sent, or put in between. */
function historyCause(
  before: readonly BodyBlock[],
  after: readonly BodyBlock[],
  block: number,
): ExplainedCause | undefined {
  if (after.length <= block) {
    return {
      cause: "history-trimmed",
      detail: `the last ${count(before.length - block)} of the request before are gone`,
    };
  }
  const kept = findRun(before, after[block], block + 1, after, block);
  if (kept !== undefined) {
    return { cause: "history-trimmed", detail: `${count(kept - block)} that had been sent were taken out` };
  }
  const pushed = findRun(after, before[block], block + 1, before, block);
  if (pushed !== undefined) {
    return {
      cause: "message-inserted",
      detail: `${count(pushed - block)} were put in before what had been sent`,
    };
  }
  return undefined;
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

function count(blocks: number): string {
  return blocks === 1 ? "1 block" : `${blocks} blocks`;
}
