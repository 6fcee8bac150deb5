import { isSpace } from "./tag-grammar.ts";

/**
 * The part of `text` from one offset to another without blank lines at its start and white space (space, tab, line end) at
 * its end. The first line keeps its indentation, unless it stands on a tag's own line.
 */
export function trimContent(
  text: string,
  from: number,
  to: number,
  onTagLine: boolean,
): { readonly start: number; readonly end: number } {
  let end = to;
  while (end > from && isSpace(text.charCodeAt(end - 1))) end -= 1;
  let start = from;
  let lineStart = from;
  while (start < end && isSpace(text.charCodeAt(start))) {
    if (text.charCodeAt(start) === 0x0a) lineStart = start + 1;
    start += 1;
  }
  return { start: lineStart === from && onTagLine ? start : Math.min(lineStart, end), end };
}
