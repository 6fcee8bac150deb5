import type { CacheLimits } from "../cache-marks.ts";
import type { CacheMark } from "../mapping.ts";
import type { BodyFrame } from "../mapping-definition.ts";

/** A text of one of OpenAI's APIs, which may end a prefix that is cached. */
export interface OpenAiText<Type extends string> {
  readonly type: Type;
  readonly text: string;
  readonly prompt_cache_breakpoint?: { readonly mode: "explicit" };
}

/** Fields of OpenAI's bodies that decide how a prompt is cached. */
export interface OpenAiCacheSettings {
  readonly prompt_cache_key?: string;
  readonly prompt_cache_options?: { readonly mode: "explicit" };
}

/** Tokens that a prefix needs for OpenAI to cache it. */
export const OPENAI_MINIMUM_CACHED_TOKENS = 1024;

/**
 * Whether a model finds a cached prefix only where a breakpoint stands: GPT-5.6 and every later family. The name may
 * carry a provider's prefix and a variant: `openai/gpt-5.6-mini`.
 */
export function matchesAtBreakpoints(model: string): boolean {
  const version = /(?:^|\/)gpt-(\d{1,3})(?:\.(\d{1,3}))?(?:$|[-:@])/.exec(model);
  if (version === null) return false;
  const major = Number(version[1]);
  return major > 5 || (major === 5 && Number(version[2] ?? 0) >= 6);
}

/** A text of one of OpenAI's APIs, with the mark that stands on it in OpenAI's words. */
export function markableText<Type extends string>(
  type: Type,
  text: string,
  mark: CacheMark | undefined,
): OpenAiText<Type> {
  return mark === undefined ? { type, text } : { type, text, prompt_cache_breakpoint: { mode: "explicit" } };
}

/**
 * Four cache writes a request, and no limit to how far a breakpoint looks back. Models that match anywhere take no
 * breakpoints: undefined.
 */
export function breakpointLimits(model: string): CacheLimits | undefined {
  return matchesAtBreakpoints(model)
    ? { maxMarks: 4, minimumTokens: OPENAI_MINIMUM_CACHED_TOKENS }
    : undefined;
}

/**
 * How a prompt whose breakpoints are set explicitly is cached. Without the mode the provider would add an implicit
 * breakpoint near the newest user message: it takes one of the four writes, and is no place that a later request of an
 * agent that works on its own asks for.
 */
export function explicitCacheSettings({
  model,
  cacheKey,
}: Pick<BodyFrame, "model" | "cacheKey">): OpenAiCacheSettings {
  return {
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
    ...(matchesAtBreakpoints(model) ? { prompt_cache_options: { mode: "explicit" } } : {}),
  };
}

/** What a person may want to know of a prompt's caching beside its marks. */
export function explainBreakpoints(model: string): string {
  return matchesAtBreakpoints(model)
    ? "This model finds a cached prefix only at a breakpoint, so breakpoints are set explicitly."
    : "No cache marks: this model finds the longest known prefix by itself.";
}

/** What `prompt_cache_key` is. */
export function explainCacheKey(cacheKey: string | undefined): string {
  return cacheKey === undefined
    ? "No prompt_cache_key: the caller named no stream."
    : "prompt_cache_key is a hash of the stream's name, so that requests of one agent meet the same cache.";
}
