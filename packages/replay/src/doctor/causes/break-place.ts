import type { BodyBlock, PrefixBreak } from "@promptfold/renderer";
import { isTool } from "../bodies/body-content.ts";

/** A piece of a text around a place in it. */
export interface TextExcerpt {
  readonly role: string;
  /** Where the text stands in its body: `messages[3].content[0]`. */
  readonly path: string;
  readonly text: string;
  /** How many characters (UTF-16 units) of the text were cut off before and after this piece. */
  readonly cutBefore: number;
  readonly cutAfter: number;
}

/** Where a body departs from the one before it: as `PrefixBreak` has it, with the texts cut to what is around it. */
export interface BreakPlace extends Pick<
  PrefixBreak,
  "kind" | "block" | "role" | "path" | "character" | "byte"
> {
  /** What stood there, and what stands there now; undefined where there is nothing. */
  readonly previous: TextExcerpt | undefined;
  readonly next: TextExcerpt | undefined;
}

/** How much of a text is kept on each side of the place, in UTF-16 units. */
const MARGIN = 120;

/**
 * The place of a break without the whole texts, which a long log has no room for. Media are compared as wholes:
 * `isWhole` puts the place at the beginning of the block.
 */
export function toBreakPlace(found: PrefixBreak, isWhole: boolean): BreakPlace {
  const { kind, block, role, path, previous, next, ...at } = onlyTools(found);
  const [character, byte] = isWhole ? [0, 0] : [at.character, at.byte];
  const cut = (text: BodyBlock | undefined): TextExcerpt | undefined => text && excerptAt(text, character);
  return { kind, block, role, path, character, byte, previous: cut(previous), next: cut(next) };
}

/** Where a tool stands in one of the bodies alone, the other one has something else there, which nobody changed. */
function onlyTools(found: PrefixBreak): PrefixBreak {
  const { previous, next } = found;
  if (isTool(previous) === isTool(next)) return found;
  if (!isTool(previous)) return { ...found, previous: undefined };
  return { ...found, role: previous?.role ?? "", path: previous?.path ?? "", next: undefined };
}

function excerptAt({ role, path, text }: BodyBlock, at: number): TextExcerpt {
  const start = Math.max(0, at - MARGIN);
  const end = Math.min(text.length, at + MARGIN);
  return { role, path, text: copy(text.slice(start, end)), cutBefore: start, cutAfter: text.length - end };
}

/** A text of its own: a slice keeps all of what it was cut from in memory. */
function copy(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
