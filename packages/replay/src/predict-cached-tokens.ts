import type { SentRequest } from "./find-cache-loss.ts";
import { serveFromCache } from "./serve-from-cache.ts";

/**
 * How many input tokens of a later request the provider's cache should give, after an earlier one of which the provider
 * counted `inputTokens`. By the rules that the doctor has for each provider and model, as if no cache expired and nothing
 * else had been sent. No tokenizer is needed: where all of the earlier request is found again, the answer is its whole
 * input, and where only a part is, that part's share by characters, which is an estimate. Zero where that is fewer tokens
 * than the model caches from, and across mappings and models.
 *
 * OpenAI counts in steps of 128 before GPT-5.6, so it may report up to 127 tokens fewer.
 *
 * @throws UnreadableBodyError (`unreadable-body`) for a body that is of no known API.
 */
export function predictCachedTokens(earlier: SentRequest, later: SentRequest, inputTokens: number): number {
  if (earlier.mapping !== later.mapping) return 0;
  // Tokens stand in the proportion of the characters, so the minimum is looked at in tokens, below.
  const counting = { countTokens: (text: string) => text.length, minimumTokens: 0 };
  const { before, after, served } = serveFromCache(earlier, later, counting);
  const tokens = before.tokens === 0 ? 0 : Math.round((inputTokens * served.tokens) / before.tokens);
  return tokens < after.rules.minimumTokens ? 0 : tokens;
}
