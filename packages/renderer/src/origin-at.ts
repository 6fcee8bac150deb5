import type { MessageOrigin } from "@promptfold/contract";
import type { ModelBlock } from "./mapping.ts";

/** What a place in a text came from: an event, and of a section its key. */
export interface TextOrigin extends MessageOrigin {
  readonly key?: string | undefined;
}

/** What is known of where a block came from: a `ModelBlock`, or as much of one as there is. */
export type OriginBlock = Partial<ModelBlock>;

/**
 * What a place in a block's text came from: where messages are joined, the one that the place lies in; of the standing
 * document, the section. What stands between two of them belongs to the second. Undefined after the last section, where
 * nothing stands, and for a block that says nothing of where it came from.
 *
 * @param character - the place, in UTF-16 units
 */
export function originAt(block: OriginBlock | undefined, character: number): TextOrigin | undefined {
  if (block === undefined) return undefined;
  let start = 0;
  for (const part of block.joined ?? []) {
    const end = start + part.text.length;
    if (character < end) return originAt(part, character - start);
    start = end;
  }
  if (block.joined !== undefined) return undefined;
  const { sections, text } = block;
  if (sections === undefined) return block.from;
  if (text !== undefined && character >= text.length) return undefined;
  const section = sections.findLast(({ start }) => start <= character);
  return section && { kind: "section", offset: section.offset, key: section.key };
}
