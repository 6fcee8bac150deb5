/**
 * Reads CRLF as LF and drops leading byte-order marks, so that all spellings of a file are one text: programs that join
 * files leave several. A carriage return that ends no line stays.
 */
export function normalizeText(source: string): string {
  let start = 0;
  while (source.charCodeAt(start) === 0xfeff) start += 1;
  const text = start === 0 ? source : source.slice(start);
  // The look-behind lets a run of carriage returns be tried once, not once per character.
  return text.includes("\r\n") ? text.replace(/(?<!\r)\r+\n/g, "\n") : text;
}
