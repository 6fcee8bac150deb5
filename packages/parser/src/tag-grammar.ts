/*
 * What is a tag: `<section` followed by white space, `>`, `/` or the end of everything, and `</section`, optional white
 * space, `>`. Nothing else is.
 */

/** The word that every tag has. */
export const TAG_WORD = "section";

/** How an opening tag starts, and how a closing one does. */
export const OPENING: string = `<${TAG_WORD}`;
export const CLOSING: string = `</${TAG_WORD}`;

/**
 * Whether a UTF-16 unit is white space to tags and to frontmatter: space, tab, line feed or carriage return, which counts
 * because a line feed after it would make it a line end. Other spaces are text.
 */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;
}

/** Whether what stands from `at` on, right after `<section`, makes it a tag. `atEnd`: nothing follows the text. */
export function isOpening(text: string, at: number, atEnd: boolean): boolean {
  if (at === text.length) return atEnd;
  const code = text.charCodeAt(at);
  return isSpace(code) || code === 0x3e || code === 0x2f;
}

/** Where the closing tag ends whose `</section` ends at `at`; -1 when it is none. */
export function endOfClosing(text: string, at: number): number {
  let end = at;
  while (isSpace(text.charCodeAt(end))) end += 1;
  return text.charCodeAt(end) === 0x3e ? end + 1 : -1;
}
