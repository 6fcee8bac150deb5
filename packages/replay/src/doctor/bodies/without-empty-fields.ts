import type { BodyBlock } from "@promptfold/renderer";
import { withoutFields } from "./json-fields.ts";
import type { BlockMedia, OpaqueBody } from "./read-media.ts";

/**
 * A body of Chat Completions whose messages have no fields that say nothing: SDKs write `refusal: null` or
 * `annotations: []`, and content that is null, empty or left out, where others write nothing. A message that says nothing
 * at all is an empty text, whichever of these it has.
 */
export function withoutEmptyFields({ body, media }: OpaqueBody): OpaqueBody {
  const filled = body.blocks.map(filledPart);
  if (filled.every((block, index) => block === body.blocks[index])) return { body, media };
  const blocks: BodyBlock[] = [];
  const keptMedia = new Map<number, BlockMedia>();
  body.blocks.forEach((first, start) => {
    if (body.blocks[start - 1]?.message === first.message) return;
    const kept = blocks.length;
    let mark: BodyBlock["mark"];
    for (let at = start; body.blocks[at]?.message === first.message; at++) {
      const block = filled[at];
      if (block === undefined) mark ??= body.blocks[at]?.mark;
      else {
        const found = media.get(at);
        if (found !== undefined) keptMedia.set(blocks.length, found);
        blocks.push(block);
      }
    }
    if (blocks.length === kept) blocks.push({ ...first, text: "", shape: "part", isText: true });
    const last = blocks.at(-1);
    if (mark !== undefined && last !== undefined) blocks[blocks.length - 1] = { ...last, mark };
  });
  return { body: { ...body, blocks }, media: keptMedia };
}

/** A block without its empty fields; undefined where nothing is left. */
function filledPart(block: BodyBlock): BodyBlock | undefined {
  const { path, text, shape, isText } = block;
  if (!path.startsWith("messages[")) return block;
  if (isText) return text === "" ? undefined : block;
  if (shape !== "field") return block;
  // What stands for content that is missing, or an empty list.
  if (text === "null" || text === "[]") return undefined;
  const filled = withoutFields(text, (_, value) => isEmpty(value));
  if (filled === text) return block;
  return filled === "{}" ? undefined : { ...block, text: filled };
}

function isEmpty(value: string): boolean {
  return value === "null" || value === '""' || value === "[]" || value === "{}";
}
