import {
  type BodyBlock,
  type BodyFormat,
  countSharedBlocks,
  isSameBlock,
  type ReadBody,
} from "@promptfold/renderer";
import { asProviderReads, withoutDeferredTools } from "./as-provider-reads.ts";
import { type BlockMedia, readMedia } from "./read-media.ts";
import { modelName } from "./provider-of.ts";
import { chainHash, hashText, type TextHash } from "./text-hash.ts";
import { withoutCallIds } from "../causes/call-ids.ts";
import { withoutVarying } from "../causes/varying-text.ts";

/** A message's block, as it is looked for in another body. */
export interface ContentBlock {
  /** Its text without what may vary from one request to the next (times, identifiers). */
  readonly key: string;
  /** Whether the model spoke, and whether it is what a tool gave back. */
  readonly byModel: boolean;
  readonly isResult: boolean;
  /** Place in the body's messages, counted over all their blocks. */
  readonly index: number;
}

/** Blocks of messages, and where each key stands: at most its first few places, so that looking them up stays cheap. */
export interface ContentBlocks {
  readonly list: readonly ContentBlock[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** At how many places a key is looked for. */
const MAX_KEY_PLACES = 4;

/** What a body says, apart from how its API writes it: worked out once, and most of it only when it is asked for. */
export class BodyContent {
  readonly body: ReadBody;
  /** Which body it is, in the order in which they came. */
  readonly number: number;
  /** Images and the like, by block: the texts have labels in their place. */
  readonly media: ReadonlyMap<number, BlockMedia>;
  /** Claude Code's billing line, where it is passed over. */
  readonly billingLine: string | undefined;
  /** The model that it names. */
  readonly model: string | undefined;
  /** How many of the first blocks are tool definitions and system text; of what the server keeps more before, these alone. */
  readonly lead: number;
  /** What stands for the text of each block. */
  readonly hashes: readonly TextHash[];
  /** What stands for each block's role, and its form where that matters. */
  readonly frameHashes: readonly number[];
  /** What stands for each block as its API has it: its frame and its text. */
  readonly blockHashes: readonly number[];
  /** What stands for the body after each number of its blocks. */
  readonly ends: readonly number[];
  #all: ContentBlocks | undefined;
  #plain: ContentBlocks | undefined;
  #sentences: ReadonlyMap<string, number> | undefined;
  #leadKey: string | undefined;

  /** `known` are the media of a body that was read already: their data is not in it any more. */
  constructor(raw: ReadBody, number: number, known?: BodyContent["media"]) {
    const opaque = known === undefined ? readMedia(withoutDeferredTools(raw)) : { body: raw, media: known };
    const { body, media, billingLine } = asProviderReads(opaque);
    this.body = body;
    this.number = number;
    this.media = media;
    this.billingLine = billingLine;
    this.model = modelName(body);
    this.lead = this.isContinuedOnServer ? lengthBeforeInput(body.blocks) : leadLength(body.blocks);
    this.hashes = body.blocks.map(({ text }) => hashText(text));
    this.frameHashes = body.blocks.map((block) => hashFrame(body.format, block));
    this.blockHashes = this.hashes.map(({ whole }, index) => chainHash(this.frameHashes[index] ?? 0, whole));
    const ends = [hashText(body.format).whole];
    for (const hash of this.blockHashes) ends.push(chainHash(ends.at(-1) ?? 0, hash));
    this.ends = ends;
  }

  /** What stands for all of the body. */
  get end(): number {
    return this.ends.at(-1) ?? 0;
  }

  /** Whether the messages before these are kept by the server, and are not in the body. */
  get isContinuedOnServer(): boolean {
    return ["previous_response_id", "conversation"].some(
      (name) =>
        this.body.format === "openai-responses" && (this.body.settings.get(name) ?? "null") !== "null",
    );
  }

  /** The same body, read as one of another API that it may be of as well. */
  inFormat(format: BodyFormat): BodyContent {
    return new BodyContent({ ...this.body, format, formats: [format] }, this.number, this.media);
  }

  /** Lets go what can be worked out anew. */
  forgetDerived(): void {
    this.#all = undefined;
    this.#plain = undefined;
    this.#sentences = undefined;
    this.#leadKey = undefined;
  }

  /** The messages after the tools and the system text. */
  get messages(): readonly BodyBlock[] {
    return this.body.blocks.slice(this.lead);
  }

  /** The messages to be looked for; `plain` leaves tool calls and results out, which each API writes in its own way. */
  blocks(plain: boolean): ContentBlocks {
    this.#all ??= toContentBlocks(
      this.messages.flatMap((block, index) => (isCallId(block) ? [] : [toContentBlock(block, index)])),
    );
    if (!plain) return this.#all;
    this.#plain ??= toContentBlocks(
      this.#all.list.filter(({ index }) => isPlainText(this.body.blocks[this.lead + index])),
    );
    return this.#plain;
  }

  /** The system text's sentences and lines without what varies, with their lengths. */
  get sentences(): ReadonlyMap<string, number> {
    this.#sentences ??= new Map(
      this.#systemTexts()
        .flatMap((text) => withoutVarying(text).split(/[\n.!?。]+/))
        .map((sentence) => sentence.trim())
        .filter((sentence) => sentence !== "")
        .map((sentence) => [sentence, sentence.length]),
    );
    return this.#sentences;
  }

  /** All system text before the first message. */
  get system(): string {
    return this.#systemTexts().join("\n");
  }

  /** Tools in any order and system text, without what varies: equal for bodies that come from one prompt. */
  get leadKey(): string {
    if (this.#leadKey === undefined) {
      const blocks = this.body.blocks.slice(0, this.lead);
      const tools = blocks.filter(isTool).flatMap(({ text }) => toolDefinitions(text));
      this.#leadKey = JSON.stringify([tools.sort(), withoutVarying(this.system)]);
    }
    return this.#leadKey;
  }

  /** Whether the tools and the system text are the same, to the byte. */
  hasLeadOf(other: BodyContent): boolean {
    const { lead, body } = this;
    const otherLead = this.isContinuedOnServer ? lengthBeforeInput(other.body.blocks) : other.lead;
    return (
      lead === otherLead && countSharedBlocks(body.blocks, other.body.blocks, isSameBlock, lead) === lead
    );
  }

  #systemTexts(): readonly string[] {
    return this.body.blocks
      .slice(0, this.lead)
      .filter((block) => !isTool(block))
      .map(({ text }) => text);
  }
}

/** Whether two bodies begin alike and are read in two formats, though there is one that both may be in. */
export function isOtherwiseRead(a: BodyContent, b: BodyContent): boolean {
  const { format, formats } = b.body;
  if (a.body.format === format) return false;
  const hasCommon =
    (formats.length > 1 && formats.includes(a.body.format)) ||
    (a.body.formats.length > 1 && a.body.formats.includes(format));
  return hasCommon && beginsLike(a, b);
}

/** Whether two bodies have the same first message, or the same tools and system text but for what varies. */
function beginsLike(a: BodyContent, b: BodyContent): boolean {
  const [first, other] = [a.hashes[a.lead], b.hashes[b.lead]];
  return (first !== undefined && first.whole === other?.whole) || (a.lead > 0 && a.leadKey === b.leadKey);
}

function hashFrame(format: ReadBody["format"], { role, shape, message, isText }: BodyBlock): number {
  const frame = `${role} ${isText ? "text" : "data"}`;
  // Chat Completions has messages, and not blocks, one after the other.
  return hashText(format === "openai-chat" ? `${frame} ${shape} ${message}` : frame).whole;
}

/** How many of the first blocks are tool definitions and system text. */
export function leadLength(blocks: readonly BodyBlock[]): number {
  const end = blocks.findIndex((block) => !isTool(block) && !isSystem(block));
  return end === -1 ? blocks.length : end;
}

/** How many of the first blocks are sent anew with each request of the Responses API: all but the items of its input. */
function lengthBeforeInput(blocks: readonly BodyBlock[]): number {
  const end = blocks.findIndex(({ path }) => path.startsWith("input"));
  return end === -1 ? blocks.length : end;
}

/** With how many equal blocks two bodies begin. */
export function sharedBlocks(a: ReadBody, b: ReadBody): number {
  return countSharedBlocks(a.blocks, b.blocks);
}

export function isTool(block: BodyBlock | undefined): boolean {
  return block?.role === "tool-definition";
}

/** Whether the model spoke: a text, a call or its reasoning, by the names of any API. */
export function isByModel({ role }: BodyBlock): boolean {
  return role === "assistant" || role === "model" || role === "reasoning" || role.endsWith("_call");
}

/** Whether a block is what a tool gave back, by the names of any API. */
export function isToolResult({ role, text }: BodyBlock): boolean {
  return (
    role === "tool" ||
    role === "function" ||
    role.endsWith("_call_output") ||
    /^\{"(?:type":"[a-z_]*tool_result"|functionResponse"|function_response")/.test(text)
  );
}

/** The definitions in a tool's block, as JSON: Gemini has a list of them in one. */
export function toolDefinitions(text: string): readonly string[] {
  if (!/^\{"function_?[dD]eclarations":\[/.test(text)) return [text];
  const { functionDeclarations, function_declarations, ...rest } = JSON.parse(text) as Record<
    string,
    unknown
  >;
  const list = functionDeclarations ?? function_declarations;
  try {
    const others = Object.keys(rest).length > 0 ? [JSON.stringify(rest)] : [];
    return [...(Array.isArray(list) ? list : []).map((each) => JSON.stringify(each)), ...others];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [text]; // nested too deeply to be written again
  }
}

function isSystem({ role }: BodyBlock): boolean {
  return role === "system" || role === "developer";
}

function isPlainText(block: BodyBlock | undefined): boolean {
  return (
    block !== undefined && block.shape !== "field" && !isToolResult(block) && !block.text.startsWith("{")
  );
}

/** Which call a result answers, as Chat Completions has it beside the result: no text that two conversations have in common. */
function isCallId({ role, shape }: BodyBlock): boolean {
  return role === "tool" && shape === "field";
}

function toContentBlock(block: BodyBlock, index: number): ContentBlock {
  const byModel = isByModel(block);
  const text = withoutVarying(withoutCallIds(block.text));
  return { key: `${byModel ? "model" : "other"} ${text}`, byModel, isResult: isToolResult(block), index };
}

function toContentBlocks(list: readonly ContentBlock[]): ContentBlocks {
  const places = new Map<string, number[]>();
  list.forEach(({ key }, at) => {
    const known = places.get(key);
    if (known === undefined) places.set(key, [at]);
    else if (known.length < MAX_KEY_PLACES) known.push(at);
  });
  return { list, places };
}
