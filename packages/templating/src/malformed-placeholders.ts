import type { Piece } from "./expand-templates.ts";
import type { FilePlace } from "./lay-out-pieces.ts";

/** What looks like a placeholder in braces and is none. `endColumn` is exclusive. */
export interface MalformedPlaceholder extends FilePlace {
  readonly endColumn: number;
  /** What is wrong and what to do. */
  readonly message: string;
}

/** A pair of braces on one line, or open ones with a name. In the text between placeholders neither is a placeholder. */
const BRACES = /\$\{(?:([^{}\n$]{0,100})\}|[ \t]{0,100}([_A-Za-z]\w*))/g;

/**
 * Braces after a dollar that hold no name, or a name and are not closed. They stay in the prompt as they are, which is
 * seldom what was meant.
 *
 * @param remedyFor - what to do about what stands between braces, when that is known
 */
export function findMalformedPlaceholders(
  pieces: readonly Piece[],
  remedyFor: (inside: string) => string | undefined = () => undefined,
): MalformedPlaceholder[] {
  const found: MalformedPlaceholder[] = [];
  for (const { source, tokens } of pieces) {
    for (const { raw: text, start, name: variable, dollar } of tokens) {
      if (variable !== undefined || dollar) continue;
      for (const { 0: raw, 1: inside, 2: name = "", index } of text.matchAll(BRACES)) {
        const place = source.locate(source.bodyStart + start + index);
        const fault =
          inside === undefined
            ? `is not closed and stays as it is; write \${${name}}`
            : `is not a placeholder and stays as it is; ${remedyFor(inside) ?? "a name has letters, digits and underscores"}`;
        found.push({
          file: source.file,
          ...place,
          endColumn: place.column + raw.length,
          message: `${raw} ${fault} (for a literal dollar write $$)`,
        });
      }
    }
  }
  return found;
}
