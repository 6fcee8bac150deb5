import { isSectionKey } from "@promptfold/contract";
import { CLOSING, endOfClosing, isOpening, OPENING } from "./tag-grammar.ts";

/** A tag in a text. Offsets count from 0; `end` is where reading goes on. */
export type Tag =
  | { readonly kind: "open"; readonly start: number; readonly end: number; readonly key: string }
  | { readonly kind: "close"; readonly start: number; readonly end: number }
  | { readonly kind: "invalid"; readonly start: number; readonly end: number };

const KEY = ' key="';

/**
 * Yields the tags of one text in order: `<section` followed by white space, `>`, `/` or the end of the text, and
 * `</section`, optional white space, `>`. Nothing else is a tag. The only valid opening form is `<section key="K">`;
 * every other one is `invalid`.
 *
 * `atEnd` says whether the end of this text is the end of everything: if more follows, `<section` as the last word
 * is text.
 */
export function* scanTags(text: string, atEnd: boolean): Generator<Tag, void, undefined> {
  let open = findOpen(text, 0, atEnd);
  let close = findClose(text, 0);
  while (open !== undefined || close !== undefined) {
    if (close === undefined || (open !== undefined && open.start < close.start)) {
      const tag = open as Tag;
      yield tag;
      open = findOpen(text, tag.end, atEnd);
    } else {
      yield close;
      close = findClose(text, close.end);
    }
  }
}

function findOpen(text: string, from: number, atEnd: boolean): Tag | undefined {
  for (
    let start = text.indexOf(OPENING, from);
    start !== -1;
    start = text.indexOf(OPENING, start + OPENING.length)
  ) {
    const after = start + OPENING.length;
    //  <section key="K">
    //          ^ after
    if (isOpening(text, after, atEnd)) return readOpen(text, start, after);
  }
  return undefined;
}

function readOpen(text: string, start: number, after: number): Tag {
  if (text.startsWith(KEY, after)) {
    const keyStart = after + KEY.length;
    const quote = text.indexOf('"', keyStart);
    //  <section key="K">
    //                ^ keyStart
    //                 ^ quote
    if (quote !== -1 && text.charCodeAt(quote + 1) === 0x3e) {
      const key = text.slice(keyStart, quote);
      if (isSectionKey(key)) return { kind: "open", start, end: quote + 2, key };
    }
  }
  return { kind: "invalid", start, end: after };
}

function findClose(text: string, from: number): Tag | undefined {
  for (
    let start = text.indexOf(CLOSING, from);
    start !== -1;
    start = text.indexOf(CLOSING, start + CLOSING.length)
  ) {
    const end = endOfClosing(text, start + CLOSING.length);
    if (end !== -1) return { kind: "close", start, end };
  }
  return undefined;
}
