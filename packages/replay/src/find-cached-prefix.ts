import { type ModelBlock, splitJoinedBlocks } from "@promptfold/renderer";
import type { CountedBody, CountOptions } from "./doctor/cache/counted-body.ts";
import { type CacheLoss, findCacheLoss, type SentRequest } from "./find-cache-loss.ts";
import { serveFromCache } from "./serve-from-cache.ts";

/** A request, as far as what a cache gives of it is worked out. */
export interface CacheableRequest extends SentRequest {
  readonly blocks: readonly ModelBlock[];
}

/** What two requests begin with: whole messages, and text of the next one. */
export interface SharedText {
  readonly messages: number;
  readonly partial: string;
}

/** What a cache gives of a later request, in messages and tokens, and why that is less than what both begin with. */
export interface CachedPrefix {
  readonly loss: CacheLoss | undefined;
  readonly messages: number;
  /** Undefined without a tokenizer. */
  readonly tokens: number | undefined;
}

/**
 * What of the text that two requests begin with a provider's cache can give, by the rules that the doctor has: what each
 * API caches (any prefix, or what ends at a mark) and from how many tokens on, and the settings that empty it. The minimum
 * is known to be missed only where tokens are counted.
 */
export function findCachedPrefix(
  earlier: CacheableRequest,
  later: CacheableRequest,
  shared: SharedText,
  options: CountOptions,
): CachedPrefix {
  const loss = findCacheLoss(earlier, later);
  const { countTokens } = options;
  const messages = splitJoinedBlocks(later.blocks);
  // Which blocks it gives is known without their tokens, which are counted below.
  const { after, served } = serveFromCache(earlier, later, { minimumTokens: 0 });
  const isByPrefix = after.rules.kind === "prefix";
  const found = splitJoinedBlocks(later.blocks.slice(0, served.blocks)).length;
  const end = Math.min(shared.messages, isByPrefix ? keptMessages(loss, messages) : found);
  const isWhole = end === shared.messages && loss === undefined && isByPrefix;
  const texts = [...messages.slice(0, end).map(({ text }) => text), isWhole ? shared.partial : ""];
  const tokens = countTokens && texts.reduce((sum, text) => sum + countTokens(text), 0);
  if (loss?.keeps === "nothing") return { loss, messages: 0, tokens: countTokens && 0 };
  const isLess = end < shared.messages || (!isByPrefix && shared.partial !== "");
  const minimum = options.minimumTokens ?? after.rules.minimumTokens;
  if (tokens !== undefined && tokens < minimum && end > 0) {
    const short = loss === undefined ? tooShort(tokens, minimum) : alsoTooShort(loss, tokens, minimum);
    return { loss: isLess && loss === undefined ? unmarked(after, later, 0) : short, messages: 0, tokens: 0 };
  }
  return { loss: loss ?? (isLess ? unmarked(after, later, end) : undefined), messages: end, tokens };
}

function tooShort(tokens: number, minimum: number): CacheLoss {
  const detail = `what both begin with is ${tokens} tokens, and this model caches from ${minimum} on`;
  return { cause: "too-short", detail, keeps: "nothing" };
}

/** A loss that would leave what leads the two, where that is too short by itself. */
function alsoTooShort(loss: CacheLoss, tokens: number, minimum: number): CacheLoss {
  const detail = `${loss.detail}, and the ${tokens} tokens that are left are fewer than the ${minimum} that this model caches`;
  return { ...loss, detail, keeps: "nothing" };
}

function unmarked({ rules, written }: CountedBody, { mapping }: SentRequest, messages: number): CacheLoss {
  return {
    cause: "unmarked",
    detail: whyUnmarked(rules.kind === "breakpoints", written?.length ?? 0, mapping),
    keeps: messages === 0 ? "nothing" : "marked",
  };
}

function whyUnmarked(isByBreakpoints: boolean, marks: number, mapping: string): string {
  if (!isByBreakpoints && marks === 0)
    return `this model caches what ends at a mark, and ${mapping} sets none for it`;
  if (isByBreakpoints && !/^openai-(?:chat@2|responses@)/.test(mapping))
    return `this model caches what ends at a breakpoint or at the newest message of a user or a tool, and ${mapping} sets no breakpoints`;
  const what = isByBreakpoints ? "a breakpoint or the newest message of a user or a tool" : "a mark";
  return `this model caches what ends at ${what}, and no later one of the earlier request stands in what both begin with`;
}

/** How many of the first messages a cache can give that finds any prefix. */
function keptMessages(loss: CacheLoss | undefined, messages: readonly ModelBlock[]): number {
  if (loss === undefined) return messages.length;
  if (loss.keeps === "nothing") return 0;
  const end = messages.findIndex(
    ({ from }) => from?.kind !== "protocol" && from?.kind !== "standing-document",
  );
  return end === -1 ? messages.length : end;
}
