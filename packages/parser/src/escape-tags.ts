/*
 * A literal tag inside content is written with an entity, `&lt;section …`, and a literal entity of that kind gains an
 * `amp;`. Both functions decide what is a tag on the content plus the newline that ends it.
 */

const tagEnding = String.raw`(?:section(?:[ \t\r\n>/]|$)|/section[ \t\r\n]*>)`;
const literal = new RegExp(`<(?=${tagEnding})|&(?=(?:amp;)*lt;${tagEnding})`, "g");
const entity = new RegExp(`&((?:amp;)*)lt;(?=${tagEnding})`, "g");
const entityBeforeMore = new RegExp(`&((?:amp;)*)lt;(?=${tagEnding.replace("|$", "")})`, "g");

/** Writes content so that no parser finds a tag in it. The inverse of {@link unescapeTags}. */
export function escapeTags(content: string): string {
  if (!content.includes("section")) return content;
  return content.replace(literal, (character) => (character === "<" ? "&lt;" : "&amp;"));
}

/**
 * Reads the entities of literal tags back; every other entity is plain text.
 *
 * @param atEnd - whether the text's end is the content's end; if more follows, an entity that is the last word stays.
 */
export function unescapeTags(text: string, atEnd = true): string {
  // Most texts hold no ampersand, and plain searches cost a fraction of the expression.
  if (!text.includes("&") || (!text.includes("&lt;") && !text.includes("&amp;"))) return text;
  return text.replace(atEnd ? entity : entityBeforeMore, (_, levels: string) =>
    levels === "" ? "<" : `&${levels.slice(4)}lt;`,
  );
}
