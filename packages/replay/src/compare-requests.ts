import {
  countSharedBlocks,
  type ModelBlock,
  sharedLength,
  splitJoinedBlocks,
  utf8Length,
} from "@promptfold/renderer";
import type { HistoryChange } from "./replay-state.ts";

/** The parts of a replayed request that a comparison reads. */
export interface ComparableRequest {
  readonly offset: number;
  readonly blocks: readonly ModelBlock[];
  readonly historyChanges: readonly HistoryChange[];
}

/** Where two requests part. */
export interface FirstDifference {
  /** Index of the message in `messages`, the protocol message being 0. */
  readonly message: number;
  /**
   * Where in what the model reads of the message, in UTF-16 units; 0 when the roles differ. What the mapping puts before the
   * message's own text counts: a label, or the blank line between messages that it joins.
   */
  readonly character: number;
  /** The same in UTF-8 bytes. */
  readonly byte: number;
  /** What the model reads there in the earlier request, and in the later one; undefined where there is nothing. */
  readonly previous: ModelBlock | undefined;
  readonly next: ModelBlock | undefined;
}

/** How much of an earlier request a later one begins with. */
export interface RequestComparison {
  /** Whether the prefix law held: the later request begins with the whole earlier one. */
  readonly held: boolean;
  /** Where they part; undefined when the law held. */
  readonly firstDifference: FirstDifference | undefined;
  /** Whole messages that both begin with. */
  readonly sharedMessages: number;
  /** Text that both begin with, a started message's part included: UTF-16 units and UTF-8 bytes. */
  readonly sharedCharacters: number;
  readonly sharedBytes: number;
  /** The same in tokens; undefined when no tokenizer was passed in. */
  readonly sharedTokens: number | undefined;
  /** Tokens of the whole later request; undefined when no tokenizer was passed in. */
  readonly totalTokens: number | undefined;
  /** The event that broke the prefix, most likely first; empty when the law held. */
  readonly brokenBy: readonly { readonly offset: number; readonly kind: string }[];
}

/** What a comparison needs from its caller. */
export interface CompareRequestsOptions {
  /** Counts the tokens of a text. */
  readonly countTokens?: ((text: string) => number) | undefined;
}

/** Compares an earlier request with a later one of the same stream, on what the model reads of their bodies. */
export function compareRequests(
  earlier: ComparableRequest,
  later: ComparableRequest,
  { countTokens }: CompareRequestsOptions = {},
): RequestComparison {
  // The law is about blocks; people and events know messages.
  const held = countSharedBlocks(earlier.blocks, later.blocks) === earlier.blocks.length;
  const before = splitJoinedBlocks(earlier.blocks);
  const after = splitJoinedBlocks(later.blocks);
  const sharedMessages = countSharedBlocks(before, after);
  const [previous, next] = [before[sharedMessages], after[sharedMessages]];
  const partial = held ? "" : sharedText(previous, next);
  const shared = [...after.slice(0, sharedMessages).map(({ text }) => text), partial];
  return {
    held,
    firstDifference: held
      ? undefined
      : { message: sharedMessages, character: partial.length, byte: utf8Length(partial), previous, next },
    sharedMessages,
    sharedCharacters: sum(shared, (text) => text.length),
    sharedBytes: sum(shared, utf8Length),
    sharedTokens: countTokens && sum(shared, countTokens),
    totalTokens: countTokens && sum(after, ({ text }) => countTokens(text)),
    brokenBy: held ? [] : brokenBy(earlier, later, (next ?? previous)?.from),
  };
}

/** The text that two blocks begin with; none when they belong to different roles. */
function sharedText(a: ModelBlock | undefined, b: ModelBlock | undefined): string {
  if (a === undefined || b === undefined || a.role !== b.role) return "";
  return a.text.slice(0, sharedLength(a.text, b.text));
}

/**
 * The history changes between two requests, the one whose own item stands at the difference first. Without any, the
 * item at the difference is named: the two are not of one stream then, or not of one mapping and protocol.
 */
function brokenBy(
  earlier: ComparableRequest,
  later: ComparableRequest,
  origin: ModelBlock["from"],
): readonly { offset: number; kind: string }[] {
  const changes = later.historyChanges.filter(({ offset }) => offset > earlier.offset);
  if (changes.length === 0) return origin === undefined ? [] : [origin];
  const atDifference = changes.filter(({ offset }) => offset === origin?.offset);
  return [...atDifference, ...changes.filter((change) => !atDifference.includes(change))];
}

function sum<T>(values: readonly T[], measure: (value: T) => number): number {
  return values.reduce((total, value) => total + measure(value), 0);
}
