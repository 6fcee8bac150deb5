import { hashText } from "./text-hash.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What stands beside the data of an image, a clip or a file in its part. */
export interface BesideMedia {
  /** All of it as JSON, its fields in one order; "" for nothing. */
  readonly json: string;
  /** What the model reads of it as text: a document's title and context. */
  readonly read: string;
}

/** Fields that say where the data is and what its label says: an item's own, and names of its type. */
const framing: ReadonlySet<string> = new Set(["type", "id", "status"]);
const typeNames: ReadonlySet<string> = new Set(["media_type", "mimeType", "mime_type", "mediaType"]);

/**
 * What a part has beside its data, so that a change of it is one of the part. `fields` are those of the part and of the
 * object in it that has the data; `data` are the values that the label stands for. What APIs take for nothing is passed
 * over, and so is the order, which no API hands on.
 */
export function besideMedia(fields: Fields, data: readonly unknown[], type: string): BesideMedia {
  const beside = Object.entries(fields)
    .filter(([name, value]) => !data.includes(value) && !framing.has(name) && !isDefault(name, value))
    .filter(([name, value]) => !typeNames.has(name) || value !== type)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (beside.length === 0) return { json: "", read: "" };
  const { title, context } = fields;
  const json = JSON.stringify(Object.fromEntries(beside), (_, value: unknown) => withoutData(value));
  return { json, read: [title, context].filter((each) => typeof each === "string").join("\n") };
}

function isDefault(name: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (name === "detail") return value === "auto";
  return name === "citations" && /^\{(?:"enabled":false)?\}$/.test(JSON.stringify(value));
}

/** More data, such as the signature of a thought, as its digest. */
function withoutData(value: unknown): unknown {
  return typeof value === "string" && isData(value)
    ? `[digest ${hashText(value).whole.toString(36)}]`
    : value;
}

function isData(text: string): boolean {
  return dataUrl(text) !== undefined || isBase64(text);
}

/** What a data URL says of its data: its type, and where the data begins. */
export function dataUrl(
  text: string,
): { readonly type: string | undefined; readonly start: number } | undefined {
  const match = /^data:([\w.+-]{1,80}\/[\w.+-]{1,80})?[^,]{0,200};base64,/.exec(text.slice(0, 400));
  return match === null ? undefined : { type: match[1], start: match[0].length };
}

/** Whether a text is data, by how it begins. */
export function isBase64(text: string): boolean {
  return text.length >= 256 && /^[\w+/=-]*$/.test(text.slice(0, 256));
}

/** The type of media, as a part's fields name it. */
export function typeOf(fields: Fields): string | undefined {
  for (const name of typeNames) {
    const type = fields[name];
    if (typeof type === "string") return type.slice(0, 80);
  }
  const { filename } = fields;
  return typeof filename === "string" && /\.pdf$/i.test(filename) ? "application/pdf" : undefined;
}
