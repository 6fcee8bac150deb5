/** The longest beginning of `text` of at most `limit` UTF-16 code units that does not split a code point. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = Math.max(0, Math.floor(limit));
  const splits = isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end));
  return text.slice(0, splits ? end - 1 : end);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
