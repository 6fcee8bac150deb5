import { isPlainObject } from "@promptfold/contract";
import type { BodyBlock, ReadBody } from "@promptfold/renderer";
import { besideMedia, dataUrl, isBase64, typeOf } from "./beside-media.ts";
import { estimateTokens, type MediaKind, mediaModel, type MediaModel } from "./estimate-media.ts";
import { hashText } from "./text-hash.ts";

/** An image, a clip or a file in a block. */
export interface Media {
  readonly kind: MediaKind;
  /** What stands for it in the block's text: its type, size and digest, or its address. */
  readonly label: string;
  /** Its address, where the body has it elsewhere. */
  readonly address: string | undefined;
  /** About how many tokens the model reads of it. */
  readonly tokens: number;
}

/** What a block has besides text. */
export interface BlockMedia {
  readonly list: readonly Media[];
  /** The block's text without any of it, and without settings beside it: what is counted as text. */
  readonly rest: string;
}

/** A body whose media are opaque: in place of their data each has a label that differs when the data does. */
export interface OpaqueBody {
  readonly body: ReadBody;
  /** By the index of the block. */
  readonly media: ReadonlyMap<number, BlockMedia>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Names that a part with media has in it, in any API. */
const hint =
  /"(?:(?:input_)?(?:image|audio|video|file|document)(?:[_-](?:url|data|id))?|media|computer_screenshot|image_generation_call|inline_?[dD]ata|file_?[dD]ata)"/;

/**
 * Replaces the data of images, audio, video and files in a body by labels, with what stands beside it. Only what an API takes as media is: base64
 * inside a text or a tool's call is text to the model, and stays. Linear in the body's size.
 */
export function readMedia(body: ReadBody): OpaqueBody {
  const media = new Map<number, BlockMedia>();
  const model = mediaModel(body);
  const blocks = body.blocks.map((block, index) => {
    const found = isPart(block) ? readBlock(block.text, model) : undefined;
    if (found === undefined) return block;
    media.set(index, found);
    return { ...block, text: found.text };
  });
  return media.size === 0 ? { body, media } : { body: { ...body, blocks }, media };
}

function isPart({ role, shape, text }: BodyBlock): boolean {
  return role !== "tool-definition" && shape !== "string" && text.startsWith("{") && hint.test(text);
}

function readBlock(json: string, model: MediaModel): (BlockMedia & { readonly text: string }) | undefined {
  const list: Media[] = [];
  try {
    const labelled = replaceMedia(JSON.parse(json), model, list, 0);
    if (list.length === 0) return undefined;
    if (labelled instanceof Label) return { list, rest: labelled.read, text: labelled.text };
    const write = (show: (label: Label) => string): string =>
      JSON.stringify(labelled, (_, value: unknown) => (value instanceof Label ? show(value) : value));
    return { list, rest: write(({ read }) => read), text: write(({ text }) => text) };
  } catch {
    return undefined; // a text that begins with a brace, or nested too deeply to be written again
  }
}

/** What stands in the place of media while a block is written again. */
class Label {
  readonly text: string;
  /** What the model reads beside the data. */
  readonly read: string;

  constructor(text: string, read: string) {
    this.text = text;
    this.read = read;
  }
}

const MAX_DEPTH = 12;

function replaceMedia(value: unknown, model: MediaModel, list: Media[], depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((each) => replaceMedia(each, model, list, depth + 1));
  if (!isPlainObject(value) || isCall(value)) return value;
  const kind = mediaKind(value);
  if (kind !== undefined) {
    const holder = holderOf(value);
    const payload = payloadOf(holder) ?? payloadOf(value);
    const fields = { ...value, ...holder };
    if (payload !== undefined) return label(payload, fields, holder, kind, model, list);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replaceMedia(each, model, list, depth + 1)]),
  );
}

/** What a tool was called with is text to the model, whatever it looks like. */
function isCall(value: Fields): boolean {
  const { type } = value;
  const isNamed = typeof type === "string" && /(?:tool_use|[a-z]_call|tool-call)$/.test(type);
  return (isNamed && type !== "image_generation_call") || "functionCall" in value || "tool_calls" in value;
}

const kinds: readonly (readonly [RegExp, MediaKind])[] = [
  [/image|screenshot/, "image"],
  [/audio/, "audio"],
  [/video/, "video"],
  [/file|document|media|inline/, "file"],
];

const mediaType =
  /^(?:(?:input_)?(?:image|audio|video|file)(?:[_-](?:url|data|id))?|document|media|computer_screenshot|image_generation_call)$/;

function mediaKind(value: Fields): MediaKind | undefined {
  const { type } = value;
  const named = typeof type === "string" && mediaType.test(type) ? type : undefined;
  const name = named ?? Object.keys(value).find((each) => /^(?:inline|file)_?[dD]ata$/.test(each));
  return name === undefined ? undefined : kinds.find(([pattern]) => pattern.test(name))?.[1];
}

const holders = [
  "source",
  "image_url",
  "input_audio",
  "audio_url",
  "video_url",
  "file",
  "inlineData",
  "inline_data",
  "fileData",
  "file_data",
];

/** The object inside a part that has its data and says what it is. */
function holderOf(value: Fields): Fields {
  for (const name of holders) {
    const inner = value[name];
    if (isPlainObject(inner)) return inner;
  }
  return {};
}

const payloads = [
  "data",
  "url",
  "image_url",
  "image",
  "file_data",
  "file_url",
  "file_id",
  "file_uri",
  "fileUri",
  "fileId",
  "result",
  "id",
];

function payloadOf(value: Fields): string | undefined {
  // A document that is given as text is text.
  if (value["type"] === "text" || value["type"] === "content") return undefined;
  for (const name of payloads) {
    const payload = value[name];
    if (typeof payload === "string" && payload !== "") return payload;
  }
  return undefined;
}

function label(
  payload: string,
  fields: Fields,
  holder: Fields,
  kind: MediaKind,
  model: MediaModel,
  list: Media[],
): Label {
  const url = dataUrl(payload);
  const type = url?.type ?? typeOf(fields);
  const known = kindOfType(type) ?? kind;
  const isAddress = url === undefined && !isBase64(payload);
  const bytes = isAddress ? undefined : Math.floor(((payload.length - (url?.start ?? 0)) * 3) / 4);
  const name = type ?? known;
  const shown = isAddress
    ? `[${name} ${payload}]`
    : `[${name}, ${sizeOf(bytes ?? 0)}, digest ${hashText(payload).whole.toString(36)}]`;
  const tokens = estimateTokens({ kind: known, bytes, isLow: fields["detail"] === "low" }, model);
  list.push({ kind: known, label: shown, address: isAddress ? payload : undefined, tokens });
  const { json, read } = besideMedia(fields, [payload, holder], name);
  return new Label(json === "" ? shown : `${shown} ${json}`, read);
}

function kindOfType(type: string | undefined): MediaKind | undefined {
  if (type === undefined) return undefined;
  if (type === "application/pdf") return "pdf";
  const family = type.slice(0, type.indexOf("/"));
  return family === "image" || family === "audio" || family === "video" || family === "text"
    ? family
    : undefined;
}

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
