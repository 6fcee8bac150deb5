/** Whether the bodies of a mapping hold a `prompt_cache_key`, a hash of the path of the stream that they come from. */
export function hasCacheKey(mapping: string): boolean {
  return /^openai-(?:chat|responses)@/.test(mapping);
}
