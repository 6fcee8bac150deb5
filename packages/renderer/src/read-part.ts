import { isPlainObject } from "@promptfold/contract";
import { heldNumber, restoreNumbers } from "./exact-numbers.ts";

/** What asks for caching: a mark of Anthropic's, or a breakpoint of OpenAI's. */
export type MarkKind = "cache-control" | "breakpoint";

/** A content part, read: its text or JSON, without cache marks. */
export interface ReadPart {
  readonly text: string;
  readonly mark: MarkKind | undefined;
  /** Whether it is a text, and not the JSON of something else. */
  readonly isText: boolean;
  /** Whether nothing but cache marks was in it. */
  readonly isEmpty: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields that ask for caching. They are no content: the model does not read them. */
const markFields: ReadonlyMap<string, MarkKind> = new Map([
  ["cache_control", "cache-control"],
  ["cacheControl", "cache-control"],
  ["prompt_cache_breakpoint", "breakpoint"],
  ["promptCacheBreakpoint", "breakpoint"],
]);
const textTypes: ReadonlySet<unknown> = new Set([undefined, "text", "input_text", "output_text"]);
/** Fields that may stand beside a text and add nothing to what the model reads of it. */
const besideText: ReadonlySet<string> = new Set(["type", "text", "annotations", "logprobs"]);

/**
 * Reads one part of a message: a string or a text part gives its text, anything else its JSON with keys in their
 * order. Cache marks are removed from the part, its provider options and the parts of a tool result; never from the
 * data of a tool call, where a field of that name is the caller's own.
 */
export function readPart(part: unknown): ReadPart {
  if (typeof part === "string") {
    const number = heldNumber(part);
    return { text: number ?? part, mark: undefined, isText: number === undefined, isEmpty: false };
  }
  if (!isPlainObject(part))
    return { text: toJson(part ?? null), mark: undefined, isText: false, isEmpty: false };
  if (isPlainText(part)) return { text: part["text"], mark: undefined, isText: true, isEmpty: false };
  const { fields, mark } = withoutMarks(part);
  const names = Object.keys(fields);
  const { text, content } = fields;
  if (
    typeof text === "string" &&
    textTypes.has(fields["type"]) &&
    names.every((name) => besideText.has(name))
  ) {
    return { text, mark, isText: true, isEmpty: false };
  }
  // The AI SDK's system messages: `{ role: "system", content: "…" }` where others have parts.
  if (typeof content === "string" && names.every((name) => name === "role" || name === "content")) {
    return { text: content, mark, isText: true, isEmpty: false };
  }
  return { text: toJson(fields), mark, isText: false, isEmpty: names.length === 0 };
}

/** JSON with its numbers as the body had them. */
function toJson(value: unknown): string {
  return restoreNumbers(JSON.stringify(value));
}

/** The usual case, told without building anything: `{ type: "text", text }`, in any API's words. */
function isPlainText(part: Fields): part is { readonly text: string } {
  if (typeof part["text"] !== "string" || !textTypes.has(part["type"])) return false;
  for (const name in part) if (name !== "text" && name !== "type") return false;
  return true;
}

interface Unmarked {
  readonly fields: Fields;
  readonly mark: MarkKind | undefined;
}

function withoutMarks(part: Fields): Unmarked {
  let mark: MarkKind | undefined;
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(part)) {
    const kind = markFields.get(name);
    if (kind !== undefined) {
      if (value !== null && value !== undefined) mark ??= kind;
    } else if (name === "providerOptions" && isPlainObject(value)) {
      const options = withoutProviderMarks(value);
      mark ??= options.mark;
      if (Object.keys(options.fields).length > 0) fields.set(name, options.fields);
    } else if (name === "content" && part["type"] === "tool_result" && Array.isArray(value)) {
      const parts = value.map((inner) => (isPlainObject(inner) ? withoutMarks(inner) : undefined));
      mark ??= parts.find((inner) => inner?.mark !== undefined)?.mark;
      fields.set(
        name,
        value.map((inner: unknown, index) => parts[index]?.fields ?? inner),
      );
    } else fields.set(name, value);
  }
  return { fields: Object.fromEntries(fields), mark };
}

function withoutProviderMarks(options: Fields): Unmarked {
  let mark: MarkKind | undefined;
  const fields = new Map<string, unknown>();
  for (const [provider, value] of Object.entries(options)) {
    if (!isPlainObject(value)) {
      fields.set(provider, value);
      continue;
    }
    const inner = withoutMarks(value);
    mark ??= inner.mark;
    if (Object.keys(inner.fields).length > 0) fields.set(provider, inner.fields);
  }
  return { fields: Object.fromEntries(fields), mark };
}
