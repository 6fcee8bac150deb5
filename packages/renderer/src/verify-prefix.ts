import type { BodyFormat } from "./body-format.ts";
import { countSharedBlocks, isSameBlock } from "./count-shared-blocks.ts";
import { inOneFormat } from "./in-one-format.ts";
import { type OriginBlock, originAt, type TextOrigin } from "./origin-at.ts";
import { type BodyBlock, readBody, type ReadBody } from "./read-body.ts";
import { sharedLength, utf8Length } from "./utf8-length.ts";

/** What a verification may know besides the two bodies. */
export interface VerifyPrefixOptions {
  /** Whose API the bodies speak; by default told from their own fields. */
  readonly format?: BodyFormat | undefined;
  /** What each block of the earlier body was made from, as `renderRequest` gives it in `blocks`; names the event. */
  readonly previousBlocks?: readonly OriginBlock[] | undefined;
  /** What each block of the later body was made from. */
  readonly nextBlocks?: readonly OriginBlock[] | undefined;
}

/** Where and how a later body departs from an earlier one. */
export interface PrefixBreak {
  /**
   * `text`: a block's text changed; `role`: another role speaks; `missing`: the later body ends early; `shape`: the
   * same text in another form (a string became a list of parts, or a message that was sent grew), which Chat
   * Completions bodies may not do; `format`: the bodies speak different APIs.
   */
  readonly kind: "text" | "role" | "missing" | "shape" | "format";
  /** Index of the block in what the model reads: tool definitions, system text, messages. */
  readonly block: number;
  /** Role of that block in the later body; in the earlier one where it is missing. */
  readonly role: string;
  /** Where the block stands in its body: `messages[3].content[0]`. */
  readonly path: string;
  /** Place of the first difference in the block's text: UTF-16 units, and UTF-8 bytes. */
  readonly character: number;
  readonly byte: number;
  /** What stood there, and what stands there now; undefined where there is nothing. */
  readonly previous: BodyBlock | undefined;
  readonly next: BodyBlock | undefined;
  /**
   * What the text at the first difference came from, where the blocks were passed in: of the standing document the
   * section that the character lies in. Undefined where nothing stands there.
   */
  readonly previousOrigin: TextOrigin | undefined;
  readonly nextOrigin: TextOrigin | undefined;
}

/** Whether the prefix law held between two bodies, and if not where it broke. */
export interface PrefixVerdict {
  readonly held: boolean;
  readonly format: BodyFormat;
  readonly break: PrefixBreak | undefined;
  /** Whole blocks that both bodies begin with. */
  readonly sharedBlocks: number;
  /** Text that both begin with, a started block's part included: UTF-16 units and UTF-8 bytes. */
  readonly sharedCharacters: number;
  readonly sharedBytes: number;
  /** Cache marks of the earlier body, and how many of them still stand at their place in the later one. */
  readonly previousMarks: number;
  readonly keptMarks: number;
}

/**
 * Verifies that what the model reads of a later body begins with all that it read of the earlier one, cache marks
 * aside. Bodies are objects, JSON text or its UTF-8 bytes, of any origin. Numbers that JavaScript rounds are told apart in
 * text and bytes alone: an object has lost them. The time is linear in the bytes, so it may stay on.
 *
 * @throws UnreadableBodyError (`unreadable-body`) when one of them is no body of a known API.
 */
export function verifyPrefix(
  previous: unknown,
  next: unknown,
  options: VerifyPrefixOptions = {},
): PrefixVerdict {
  return compareBodies(readBody(previous, options.format), readBody(next, options.format), options);
}

/** {@link verifyPrefix} for bodies that were read already. */
export function compareBodies(
  earlier: ReadBody,
  later: ReadBody,
  options: Pick<VerifyPrefixOptions, "previousBlocks" | "nextBlocks"> = {},
): PrefixVerdict {
  const [previous, next] = inOneFormat(earlier, later);
  const before = previous.blocks;
  const after = next.blocks;
  const isExact = previous.format === "openai-chat";
  const sharedBlocks =
    previous.format === next.format ? countSharedBlocks(before, after, isExact ? isSameForm : isSameKind) : 0;
  const isWhole = previous.format === next.format && sharedBlocks === before.length;
  const grew =
    isWhole && isExact && sharedBlocks > 0 && after[sharedBlocks]?.message === before.at(-1)?.message;
  const held = isWhole && !grew;
  const found = held ? undefined : describeBreak(previous, next, sharedBlocks, grew, options);
  const sharedTexts = after.slice(0, sharedBlocks);
  return {
    held,
    format: next.format,
    break: found,
    sharedBlocks,
    sharedCharacters: sharedTexts.reduce((sum, { text }) => sum + text.length, found?.character ?? 0),
    sharedBytes: sharedTexts.reduce((sum, { text }) => sum + utf8Length(text), found?.byte ?? 0),
    previousMarks: before.filter(({ mark }) => mark !== undefined).length,
    keptMarks: sharedTexts.filter(
      ({ mark }, index) => mark !== undefined && before[index]?.mark !== undefined,
    ).length,
  };
}

/** Whether two blocks say the same: a text that looks like a picture's JSON is no picture. */
function isSameKind(a: BodyBlock, b: BodyBlock): boolean {
  return isSameBlock(a, b) && a.isText === b.isText;
}

/** Whether two blocks say the same in the same form. */
function isSameForm(a: BodyBlock, b: BodyBlock): boolean {
  return isSameKind(a, b) && a.message === b.message && a.shape === b.shape;
}

function describeBreak(
  previous: ReadBody,
  next: ReadBody,
  block: number,
  grew: boolean,
  { previousBlocks, nextBlocks }: Pick<VerifyPrefixOptions, "previousBlocks" | "nextBlocks">,
): PrefixBreak {
  const before = previous.blocks[block];
  const after = next.blocks[block];
  const isComparable =
    before !== undefined &&
    after !== undefined &&
    before.role === after.role &&
    before.isText === after.isText;
  const character = isComparable ? sharedLength(before.text, after.text) : 0;
  const origin = (blocks: VerifyPrefixOptions["nextBlocks"], body: ReadBody): TextOrigin | undefined =>
    originAt(blocks?.[block - body.blocks.filter(isBesideMessages).length], character);
  return {
    kind: breakKind(previous, next, block, grew),
    block,
    role: (after ?? before)?.role ?? "",
    path: (after ?? before)?.path ?? "",
    character,
    byte: isComparable ? utf8Length(after.text.slice(0, character)) : 0,
    previous: before,
    next: after,
    previousOrigin: origin(previousBlocks, previous),
    nextOrigin: origin(nextBlocks, next),
  };
}

/** Whether no message became this block: it is a tool, or a template on the server. */
function isBesideMessages({ role, path }: BodyBlock): boolean {
  return role === "tool-definition" || path === "prompt";
}

function breakKind(previous: ReadBody, next: ReadBody, block: number, grew: boolean): PrefixBreak["kind"] {
  const before = previous.blocks[block];
  const after = next.blocks[block];
  if (previous.format !== next.format) return "format";
  if (grew) return "shape";
  if (after === undefined) return "missing";
  if (before?.role !== after.role) return "role";
  return before.text === after.text ? "shape" : "text";
}
