import { JsonlError } from "./errors.ts";

/** One line of a JSONL file without its line feed; `complete` is false for a last line that has none. */
export interface JsonlLine {
  readonly number: number;
  readonly text: string;
  readonly bytes: number;
  readonly complete: boolean;
}

/** Above any event that a journal holds, however its text is escaped. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;

const LINE_FEED = 0x0a;

/**
 * Splits bytes into lines at line feeds only: Unicode's other separators are ordinary characters inside JSON text.
 * Blank lines are left out, a byte-order mark is dropped. Throws `JsonlError` for bytes that are not UTF-8.
 */
export async function* jsonlLines(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
): AsyncGenerator<JsonlLine, void, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 0;
  const finish = (complete: boolean): JsonlLine => {
    number += 1;
    const text = decode(
      parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts),
      number,
      complete,
    );
    const line = { number, text, bytes: length + (complete ? 1 : 0), complete };
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      parts.push(bytes.subarray(start, end));
      length += end - start;
      start = end + 1;
      const line = finish(true);
      if (!isBlank(line.text)) yield line;
    }
    if (start < bytes.length) {
      // A copy: the producer may use its buffer again.
      parts.push(bytes.slice(start));
      length += bytes.length - start;
    }
    if (length > MAX_LINE_BYTES) {
      throw new JsonlError(
        number + 1,
        `the line is longer than ${MAX_LINE_BYTES} bytes, so it is not an event`,
      );
    }
  }
  if (length > 0) {
    const line = finish(false);
    if (!isBlank(line.text)) yield line;
  }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

function decode(bytes: Uint8Array, number: number, complete: boolean): string {
  let text: string;
  try {
    // A torn line may end inside a character.
    text = (complete ? strict : lenient).decode(bytes);
  } catch (cause) {
    throw new JsonlError(number, "the line is not UTF-8 text; save the file as UTF-8", { cause });
  }
  return number === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function isBlank(text: string): boolean {
  return text.length < 8 && text.trim() === "";
}
