import { isPlainObject } from "@promptfold/contract";
import { type BodyFormat, possibleFormats } from "./body-format.ts";
import { UnreadableBodyError } from "./errors.ts";
import { parseHoldingNumbers, restoreNumbers } from "./exact-numbers.ts";
import { type MarkKind, readPart } from "./read-part.ts";

/** One piece of what the model reads of a provider body, in the order in which it reads. */
export interface BodyBlock {
  /** The role that the API gives it; `tool-definition` for a tool, the item's type for an item without a role. */
  readonly role: string;
  /** The text; for anything but text its JSON, cache marks removed. */
  readonly text: string;
  /** Where it stands in the body: `messages[3].content[0]`. */
  readonly path: string;
  /** Which message it belongs to, counted over the whole body. */
  readonly message: number;
  /** Whether the message's content is a plain string, a list of parts, or this is no message content. */
  readonly shape: "string" | "part" | "field";
  /** Whether it is a text; else the JSON of something else, such as an image, a call or a tool. */
  readonly isText: boolean;
  /** What stands on it that asks for caching. */
  readonly mark: MarkKind | undefined;
}

/** A provider body, read. */
export interface ReadBody {
  readonly format: BodyFormat;
  /** Every format that it may be in, and reads the same in; the one alone that was named or that it shows. */
  readonly formats: readonly BodyFormat[];
  readonly blocks: readonly BodyBlock[];
  /** Every other top-level field, as JSON: model, limits, tool choice and so on. */
  readonly settings: ReadonlyMap<string, string>;
}

// The same in every runtime, and in no library that a package without host types can name.
declare const TextDecoder: new (
  label: "utf-8",
  options: { readonly fatal: true },
) => { decode(bytes: ArrayBufferView): string };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads what the model reads of a provider body, of any origin: tool definitions, then system text, then the
 * messages, each as blocks, without cache marks. `body` is the object, its JSON text, or that text's UTF-8 bytes. Linear
 * in its size.
 *
 * @throws UnreadableBodyError (`unreadable-body`) for what is no body of a known API.
 */
export function readBody(body: unknown, format?: BodyFormat): ReadBody {
  try {
    const text = ArrayBuffer.isView(body) ? decode(body) : body;
    return read(asFields(typeof text === "string" ? parse(text) : text), format);
  } catch (error) {
    if (error instanceof RangeError)
      throw new UnreadableBodyError("it is nested too deeply", { cause: error });
    throw error;
  }
}

function decode(bytes: ArrayBufferView): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UnreadableBodyError("its bytes are not UTF-8", { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return parseHoldingNumbers(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableBodyError(`it is not JSON (${reason})`, { cause: error });
  }
}

function asFields(value: unknown): Fields {
  if (Array.isArray(value)) return { messages: value };
  if (!isPlainObject(value))
    throw new UnreadableBodyError("it is neither a JSON object nor a list of messages");
  return value;
}

function read(body: Fields, named: BodyFormat | undefined): ReadBody {
  const formats = named === undefined ? possibleFormats(body) : [named];
  const [format] = formats;
  if (format === undefined) {
    throw new UnreadableBodyError("it has none of the fields `messages`, `input` and `contents`");
  }
  const reader = new BodyReader();
  const rest = new Map<string, unknown>(Object.entries(format === "gemini" ? unfoldConfig(body) : body));
  const take = (name: string): unknown => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  reader.tools("tools", take("tools"));
  if (format === "gemini") {
    for (const name of ["systemInstruction", "system_instruction"]) reader.system(name, take(name));
    reader.messages("contents", asList(take("contents")), "parts");
  } else if (format === "openai-responses") {
    // A template on the server, which comes before all that is in the body.
    reader.item("system", "prompt", take("prompt"));
    reader.system("instructions", take("instructions"));
    reader.messages("input", asList(take("input")), "content");
  } else {
    // What tools were called before there were any.
    if (format === "openai-chat") reader.tools("functions", take("functions"));
    for (const name of ["instructions", "system"]) {
      if (format !== "openai-chat") reader.system(name, take(name));
    }
    reader.messages("messages", asList(take("messages")), "content");
  }
  return {
    format,
    formats,
    blocks: reader.blocks,
    settings: new Map(
      [...rest].map(([name, value]) => [
        name,
        value === undefined ? "null" : restoreNumbers(JSON.stringify(value)),
      ]),
    ),
  };
}

/** The SDK's form of a Gemini request has in `config` what the wire form has at its top. */
function unfoldConfig(body: Fields): Fields {
  const { config, ...rest } = body;
  return isPlainObject(config) ? { ...rest, ...config } : body;
}

function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** Fields of a message that add nothing to what the model reads of its content. */
const besideContent: ReadonlySet<string> = new Set(["role", "type", "id", "status"]);

/** Whether an object is a message, which may leave out content that it does not have, and not another item of a list. */
function isMessage(value: Fields, contentField: "content" | "parts"): boolean {
  if (!("role" in value)) return false;
  return contentField in value || value["type"] === undefined || value["type"] === "message";
}

class BodyReader {
  readonly blocks: BodyBlock[] = [];
  #message = -1;

  tools(list: string, tools: unknown): void {
    // A list in most APIs; the AI SDK names tools by the keys of an object.
    const entries = isPlainObject(tools) ? Object.entries(tools) : [...asList(tools).entries()];
    for (const [name, tool] of entries) {
      const path = typeof name === "number" ? `${list}[${name}]` : `${list}.${name}`;
      const { text, mark } = readPart(tool);
      const named = typeof name === "number" ? text : `${name}: ${text}`;
      this.#message++;
      this.#push({ role: "tool-definition", text: named, path, shape: "field", mark, isText: false });
    }
  }

  /** Something that is no text, as one block. */
  item(role: string, path: string, value: unknown): void {
    if (value === undefined || value === null) return;
    this.#message++;
    this.#part(role, path, value, "field");
  }

  system(name: string, value: unknown): void {
    if (value === undefined || value === null) return;
    this.#message++;
    if (isPlainObject(value) && Array.isArray(value["parts"])) {
      this.#parts("system", `${name}.parts`, value["parts"]);
    } else if (Array.isArray(value)) this.#parts("system", name, value);
    else this.#part("system", name, value, typeof value === "string" ? "string" : "part");
  }

  messages(list: string, messages: readonly unknown[], contentField: "content" | "parts"): void {
    messages.forEach((message, index) => {
      this.#message++;
      const path = `${list}[${index}]`;
      if (!isPlainObject(message) || !isMessage(message, contentField)) {
        const type = isPlainObject(message) ? (message["type"] ?? message["role"]) : undefined;
        const role = typeof type === "string" ? type : "user";
        this.#part(role, path, message, typeof message === "string" ? "string" : "field");
        return;
      }
      this.#messageContent(path, message, contentField);
    });
  }

  #messageContent(path: string, message: Fields, contentField: "content" | "parts"): void {
    const { role, [contentField]: content } = message;
    const speaker = typeof role === "string" ? role : JSON.stringify(role);
    const first = this.blocks.length;
    if (Array.isArray(content)) this.#parts(speaker, `${path}.${contentField}`, content);
    else if (content !== null && content !== undefined) {
      this.#part(
        speaker,
        `${path}.${contentField}`,
        content,
        typeof content === "string" ? "string" : "part",
      );
    }
    const fields = Object.entries(message).filter(
      ([name]) => name !== contentField && !besideContent.has(name),
    );
    if (fields.length === 0) {
      // A message that says nothing is one all the same.
      if (this.blocks.length === first) this.#part(speaker, path, content, "field");
      return;
    }
    const { text, mark, isEmpty } = readPart(Object.fromEntries(fields));
    if (!isEmpty) this.#push({ role: speaker, text, path, shape: "field", mark: undefined, isText: false });
    const last = this.blocks.at(-1);
    // A mark on the message itself stands at its end.
    if (mark !== undefined && last !== undefined && this.blocks.length > first)
      this.blocks[this.blocks.length - 1] = { ...last, mark };
  }

  #parts(role: string, path: string, parts: readonly unknown[]): void {
    parts.forEach((part, index) => {
      this.#part(role, `${path}[${index}]`, part, "part");
    });
  }

  #part(role: string, path: string, part: unknown, shape: BodyBlock["shape"]): void {
    const { text, mark, isText } = readPart(part);
    this.#push({ role, text, path, shape, mark, isText });
  }

  #push(block: Omit<BodyBlock, "message">): void {
    this.blocks.push({ ...block, message: this.#message });
  }
}
