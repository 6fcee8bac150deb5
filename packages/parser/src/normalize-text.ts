/**
 * Reads CRLF as LF and drops a leading byte-order mark, so that both spellings of a file are one text. A carriage
 * return that ends no line stays.
 */
export function normalizeText(source: string): string {
  const text = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source;
  // The look-behind lets a run of carriage returns be tried once, not once per character.
  return text.includes("\r\n") ? text.replace(/(?<!\r)\r+\n/g, "\n") : text;
}
