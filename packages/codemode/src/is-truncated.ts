const truncatingReasons: ReadonlySet<string> = new Set([
  "length",
  "max_tokens",
  "MAX_TOKENS",
  "max_output_tokens",
]);

/** Whether a provider's finish reason says that the reply was cut off by its length limit. */
export function isTruncated(finishReason: string | undefined): boolean {
  return finishReason !== undefined && truncatingReasons.has(finishReason);
}
