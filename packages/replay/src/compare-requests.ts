import { type ModelBlock, sharedLength, utf8Length } from "@promptfold/renderer";
import type { HistoryChange } from "./replay-state.ts";

/** The parts of a replayed request that a comparison reads. */
export interface ComparableRequest {
  readonly offset: number;
  readonly request: { readonly blocks: readonly ModelBlock[] };
  readonly historyChanges: readonly HistoryChange[];
}

/** Where two requests part. */
export interface FirstDifference {
  /** Index of the block in what the model reads; one message is one block, the protocol message being 0. */
  readonly message: number;
  /** Where in the message's text, in UTF-16 units; 0 when the roles differ. */
  readonly character: number;
  /** Where in the message's text, in UTF-8 bytes. */
  readonly byte: number;
}

/** How much of an earlier request a later one begins with. */
export interface RequestComparison {
  /** Whether the earlier request is a prefix of the later one. */
  readonly isPrefix: boolean;
  /** Where they part; undefined when the earlier one is a prefix. */
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
  /** The event that broke the prefix, most likely first; empty when it holds. */
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
  const a = earlier.request.blocks;
  const b = later.request.blocks;
  const sharedMessages = sharedBlocks(a, b);
  const isPrefix = sharedMessages === a.length;
  const partial = isPrefix ? "" : sharedText(a[sharedMessages], b[sharedMessages]);
  const shared = [...b.slice(0, sharedMessages).map(({ text }) => text), partial];
  return {
    isPrefix,
    firstDifference: isPrefix
      ? undefined
      : { message: sharedMessages, character: partial.length, byte: utf8Length(partial) },
    sharedMessages,
    sharedCharacters: sum(shared, (text) => text.length),
    sharedBytes: sum(shared, utf8Length),
    sharedTokens: countTokens && sum(shared, countTokens),
    totalTokens: countTokens && sum(b, ({ text }) => countTokens(text)),
    brokenBy: isPrefix ? [] : brokenBy(earlier, later, sharedMessages),
  };
}

function sharedBlocks(a: readonly ModelBlock[], b: readonly ModelBlock[]): number {
  const differs = a.findIndex(({ role, text }, index) => b[index]?.role !== role || b[index].text !== text);
  return differs === -1 ? a.length : differs;
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
  block: number,
): readonly { offset: number; kind: string }[] {
  const origin = later.request.blocks[block]?.from ?? earlier.request.blocks[block]?.from;
  const changes = later.historyChanges.filter(({ offset }) => offset > earlier.offset);
  if (changes.length === 0) return origin === undefined ? [] : [origin];
  const atDifference = changes.filter(({ offset }) => offset === origin?.offset);
  return [...atDifference, ...changes.filter((change) => !atDifference.includes(change))];
}

function sum<T>(values: readonly T[], measure: (value: T) => number): number {
  return values.reduce((total, value) => total + measure(value), 0);
}
