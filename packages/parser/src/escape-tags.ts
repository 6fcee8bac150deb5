import { CLOSING, endOfClosing, isOpening, OPENING, TAG_WORD } from "./tag-grammar.ts";

/*
 * A literal tag inside content is written with an entity, `&lt;section …`, and a literal entity of that kind gains an
 * `amp;`. Both functions decide what is a tag on the content plus the newline that ends it. They look for the word that
 * every tag has, so that text full of ampersands and angle brackets costs no more than other text.
 */

/** Writes content so that no parser finds a tag in it. The inverse of {@link unescapeTags}. */
export function escapeTags(content: string): string {
  if (!isAnyIn(content, TAGS) && !isAnyIn(content, ENTITIES)) return content;
  return rewrite(content, true, (head) => (head === "<" ? "&lt;" : `&amp;${head.slice(1)}`));
}

/**
 * Reads the entities of literal tags back; every other entity is plain text.
 *
 * @param atEnd - whether the text's end is the content's end; if more follows, an entity that is the last word stays.
 */
export function unescapeTags(text: string, atEnd = true): string {
  if (!isAnyIn(text, ENTITIES)) return text;
  return rewrite(text, atEnd, (head) => {
    if (head === "<") return head;
    return head === "&lt;" ? "<" : `&${head.slice("&amp;".length)}`;
  });
}

const TAGS: readonly (readonly string[])[] = [[OPENING, CLOSING], [TAG_WORD]];

/** The end of an entity and the word, from different characters on: the text decides which are found to be absent fastest. */
const ENTITIES: readonly (readonly string[])[] = [
  [";section", ";/section"],
  ["lt;section", "lt;/section"],
  ["t;section", "t;/section"],
  [TAG_WORD],
];

/**
 * Whether one of the words is in a text, or might be. Most texts hold no literal tag, and a search that begins with a rare
 * character skips them at the speed of memory: of several ways to look, the one whose first character is rarest is taken.
 */
function isAnyIn(text: string, ways: readonly (readonly string[])[]): boolean {
  let best = ways[0] ?? [TAG_WORD];
  if (text.length > SHORT) best = rarest(text, ways);
  return best.some((word) => text.includes(word));
}

/** A text that is read faster than it is looked at. */
const SHORT = 2_000;

function rarest(text: string, ways: readonly (readonly string[])[]): readonly string[] {
  const step = text.length >> 6;
  let best: readonly string[] = [TAG_WORD];
  let least = Infinity;
  for (const words of ways) {
    const first = words[0]?.charCodeAt(0);
    let count = 0;
    for (let at = 0; at < text.length; at += step) if (text.charCodeAt(at) === first) count += 1;
    if (count >= least) continue;
    least = count;
    best = words;
    // Rare enough: counting for the next way would cost more than this search.
    if (count <= 1) break;
  }
  return best;
}

/** Replaces what stands for the angle bracket of each literal tag: `<`, or an entity such as `&lt;` and `&amp;lt;`. */
function rewrite(text: string, atEnd: boolean, replace: (head: string) => string): string {
  let result = "";
  let copied = 0;
  for (
    let word = text.indexOf(TAG_WORD);
    word !== -1;
    word = text.indexOf(TAG_WORD, word + TAG_WORD.length)
  ) {
    const isClosing = text.charCodeAt(word - 1) === 0x2f;
    const headEnd = isClosing ? word - 1 : word;
    const headStart = findHead(text, headEnd);
    if (headStart === headEnd) continue;
    const after = word + TAG_WORD.length;
    if (isClosing ? endOfClosing(text, after) === -1 : !isOpening(text, after, atEnd)) continue;
    result += text.slice(copied, headStart) + replace(text.slice(headStart, headEnd));
    copied = headEnd;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

/** Where what stands for the angle bracket before `end` begins; `end` when nothing does. */
function findHead(text: string, end: number): number {
  if (text.charCodeAt(end - 1) === 0x3c) return end - 1;
  if (!text.endsWith("lt;", end)) return end;
  let start = end - "lt;".length;
  while (text.endsWith("amp;", start)) start -= "amp;".length;
  return text.charCodeAt(start - 1) === 0x26 ? start - 1 : end;
}
