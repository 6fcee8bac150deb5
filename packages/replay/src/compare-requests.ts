import {
  countSharedBlocks,
  type ModelBlock,
  originAt,
  sharedLength,
  splitJoinedBlocks,
  type TextOrigin,
  utf8Length,
} from "@promptfold/renderer";
import type { CacheLoss } from "./find-cache-loss.ts";
import { type CacheableRequest, findCachedPrefix } from "./find-cached-prefix.ts";
import { type BreakingEvent, findBreakingEvents } from "./find-breaking-events.ts";
import type { HistoryChange } from "./replay-state.ts";

/** The parts of a replayed request that a comparison reads. */
export interface ComparableRequest extends CacheableRequest {
  readonly offset: number;
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
  /** Where that is in UTF-8 bytes. */
  readonly byte: number;
  /** What the model reads there in the earlier request, and in the later one; undefined where there is nothing. */
  readonly previous: ModelBlock | undefined;
  readonly next: ModelBlock | undefined;
  /** What the text there came from: an event, and of a section its key; undefined where nothing stands. */
  readonly previousOrigin: TextOrigin | undefined;
  readonly nextOrigin: TextOrigin | undefined;
}

/** How much of an earlier request a later one begins with. */
export interface RequestComparison {
  /** Whether the prefix law held: the later request begins with the whole earlier one, as the model reads them. */
  readonly held: boolean;
  /** Where they part; undefined when the law held. */
  readonly firstDifference: FirstDifference | undefined;
  /** Whole messages that both begin with. */
  readonly sharedMessages: number;
  /** Text that both begin with, a started message's part included: UTF-16 units and UTF-8 bytes. */
  readonly sharedCharacters: number;
  readonly sharedBytes: number;
  /** Tokens of the text that both begin with; undefined when no tokenizer was passed in. */
  readonly sharedTokens: number | undefined;
  /** Tokens of the whole later request; undefined when no tokenizer was passed in. */
  readonly totalTokens: number | undefined;
  /**
   * What keeps a cache from giving all that both begin with: another mapping or model, a setting, that it ends at no mark
   * where the model caches at marks alone, or that it is too short.
   */
  readonly cacheLoss: CacheLoss | undefined;
  /** Of what both begin with, the whole messages and the tokens that a cache can give all the same. */
  readonly cachedMessages: number;
  readonly cachedTokens: number | undefined;
  /**
   * The events that may have broken the prefix, most likely first; empty when the law held, and when no event did: the
   * mapping or the protocol is another one then.
   */
  readonly brokenBy: readonly BreakingEvent[];
}

/** What a comparison needs from its caller. */
export interface CompareRequestsOptions {
  /** Counts the tokens of a text. */
  readonly countTokens?: ((text: string) => number) | undefined;
  /** Tokens that a prefix needs to be cached; by default what the model asks for. Looked at where tokens are counted. */
  readonly minimumTokens?: number | undefined;
}

/**
 * Compares an earlier request with a later one of the same stream, on what the model reads of their bodies, and says
 * what of it a cache can give.
 */
export function compareRequests(
  earlier: ComparableRequest,
  later: ComparableRequest,
  options: CompareRequestsOptions = {},
): RequestComparison {
  const { countTokens } = options;
  // The law is about blocks; people and events know messages.
  const held = countSharedBlocks(earlier.blocks, later.blocks) === earlier.blocks.length;
  const before = splitJoinedBlocks(earlier.blocks);
  const after = splitJoinedBlocks(later.blocks);
  const sharedMessages = countSharedBlocks(before, after);
  const [previous, next] = [before[sharedMessages], after[sharedMessages]];
  const partial = held ? "" : sharedText(previous, next);
  const shared = [...after.slice(0, sharedMessages).map(({ text }) => text), partial];
  const firstDifference = held ? undefined : describeDifference(sharedMessages, partial, previous, next);
  const cached = findCachedPrefix(earlier, later, { messages: sharedMessages, partial }, options);
  return {
    held,
    firstDifference,
    sharedMessages,
    sharedCharacters: sum(shared, (text) => text.length),
    sharedBytes: sum(shared, utf8Length),
    sharedTokens: countTokens && sum(shared, countTokens),
    totalTokens: countTokens && sum(after, ({ text }) => countTokens(text)),
    cacheLoss: cached.loss,
    cachedMessages: cached.messages,
    cachedTokens: cached.tokens,
    brokenBy:
      firstDifference === undefined
        ? []
        : findBreakingEvents(
            later.historyChanges.filter(({ offset }) => offset > earlier.offset),
            { ...firstDifference, isOtherMapping: earlier.mapping !== later.mapping },
          ),
  };
}

function describeDifference(
  message: number,
  shared: string,
  previous: ModelBlock | undefined,
  next: ModelBlock | undefined,
): FirstDifference {
  const character = shared.length;
  return {
    message,
    character,
    byte: utf8Length(shared),
    previous,
    next,
    previousOrigin: originAt(previous, character),
    nextOrigin: originAt(next, character),
  };
}

/** The text that two blocks begin with; none when they belong to different roles. */
function sharedText(a: ModelBlock | undefined, b: ModelBlock | undefined): string {
  if (a === undefined || b === undefined || a.role !== b.role) return "";
  return a.text.slice(0, sharedLength(a.text, b.text));
}

function sum<T>(values: readonly T[], measure: (value: T) => number): number {
  return values.reduce((total, value) => total + measure(value), 0);
}
