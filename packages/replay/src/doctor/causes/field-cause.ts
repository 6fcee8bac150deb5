import { type BodyBlock, isSameBlock, type PrefixBreak } from "@promptfold/renderer";
import { readJsonFields } from "../bodies/json-fields.ts";
import type { ExplainedCause } from "./explained-cause.ts";

/** How many blocks have to agree after a message whose fields differ, as far as there are so many. */
const RUN = 4;
const MAX_NAMES = 5;
const MAX_NAME_LENGTH = 40;

type Blocks = readonly BodyBlock[];

/**
 * Whether a message that was sent has other fields beside its content (`name`, `refusal`) where it had none, or has none
 * any more, and nothing else of it and of what follows it changed.
 */
export function fieldCause(
  before: Blocks,
  after: Blocks,
  { previous, next }: PrefixBreak,
): ExplainedCause | undefined {
  const message = Math.min(previous?.message ?? Infinity, next?.message ?? Infinity);
  const [old, now] = [splitMessage(before, message), splitMessage(after, message)];
  if ((old.field === undefined) === (now.field === undefined)) return undefined;
  const isSameContent = old.content.length === now.content.length && beginAlike(old.content, now.content);
  if (old.content.length === 0 || !isSameContent) return undefined;
  if (!beginAlike(followingContent(before, message), followingContent(after, message))) return undefined;
  return changedFields(old.field, now.field);
}

/** That a message's fields, or an item of a list, are others than they were, by the names of the fields. */
export function changedFields(
  before: BodyBlock | undefined,
  after: BodyBlock | undefined,
): ExplainedCause | undefined {
  const path = (after ?? before)?.path ?? "";
  const [old, now] = [before, after].map((block) =>
    block === undefined ? new Map<string, string>() : block.shape === "field" && readJsonFields(block.text),
  );
  if (!old || !now) return undefined;
  const groups = [
    ["added", [...now.keys()].filter((name) => !old.has(name))],
    ["removed", [...old.keys()].filter((name) => !now.has(name))],
    ["changed", [...old.keys()].filter((name) => now.has(name) && now.get(name) !== old.get(name))],
  ] as const;
  const found = groups.filter(([, names]) => names.length > 0);
  if (found.length === 0) return undefined;
  const isOne = found.reduce((sum, [, names]) => sum + names.length, 0) === 1;
  const changes = found.map(([what, names]) => `${what}: ${listNames(names)}`);
  const what = isOne ? "a field" : "fields";
  return {
    cause: "history-rewritten",
    detail: `${what} of ${path} ${isOne ? "was" : "were"} ${changes.join("; ")}`,
  };
}

/** Whether a block is what a message has beside its content. */
export function isBesideContent(blocks: Blocks, at: number): boolean {
  const block = blocks[at];
  return block?.shape === "field" && at > 0 && blocks[at - 1]?.message === block.message;
}

function splitMessage(
  blocks: Blocks,
  message: number,
): { readonly content: Blocks; readonly field: BodyBlock | undefined } {
  const all = blocks.filter((block) => block.message === message);
  const content = all.filter((_, at) => !isBesideContent(all, at));
  return { content, field: all.find((_, at) => isBesideContent(all, at)) };
}

/** What is said after a message; without fields, as these may have been added to others as well. */
function followingContent(blocks: Blocks, message: number): Blocks {
  const start = blocks.findIndex((block) => block.message > message);
  if (start === -1) return [];
  const window = blocks.slice(start, start + 2 * RUN);
  return window.filter((_, at) => !isBesideContent(window, at)).slice(0, RUN);
}

/** Whether two lists are the same as far as both go. */
function beginAlike(a: Blocks, b: Blocks): boolean {
  return a.slice(0, b.length).every((block, at) => isSameBlock(block, b[at]));
}

function listNames(names: readonly string[]): string {
  const shown = names
    .slice(0, MAX_NAMES)
    .map((name) => `\`${name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name}\``);
  return `${shown.join(", ")}${names.length > MAX_NAMES ? ", …" : ""}`;
}
