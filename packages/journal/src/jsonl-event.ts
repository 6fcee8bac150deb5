import { JsonlError } from "./errors.ts";
import type { RestoredEvent, Source } from "./journal.ts";

/**
 * An event as one line of JSONL, without the line feed: `offset`, `type`, `createdAt`, `idempotencyKey?`, `source?` and
 * `payload`, whose JSON text stands as it was stored. A payload text with line ends of its own, or with blanks around it, becomes
 * the string `payloadText` instead.
 */
export function formatJsonlEvent(event: RestoredEvent): string {
  const { offset, type, createdAt, idempotencyKey, source, payloadText } = event;
  const fields = JSON.stringify({ offset, type, createdAt, idempotencyKey, source }).slice(0, -1);
  if (/[\n\r]|^[ \t]|[ \t]$/.test(payloadText))
    return `${fields},"payloadText":${JSON.stringify(payloadText)}}`;
  return `${fields},"payload":${payloadText}}`;
}

/** Reads one line back; fields in any order, unknown ones are ignored. Throws `JsonlError`; the values are not judged here. */
export function parseJsonlEvent(text: string, line: number): RestoredEvent {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new JsonlError(line, `not JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new JsonlError(
      line,
      "not an event; an object with offset, type, createdAt and payload is expected",
    );
  }
  const fields = parsed as Partial<Record<string, unknown>>;
  const payloadText =
    typeof fields["payloadText"] === "string" ? fields["payloadText"] : memberText(text, "payload");
  if (payloadText === undefined) throw new JsonlError(line, "the event has no payload");
  return {
    offset: fields["offset"] as number,
    type: fields["type"] as string,
    createdAt: fields["createdAt"] as string,
    payloadText,
    ...(fields["idempotencyKey"] === undefined ? {} : { idempotencyKey: fields["idempotencyKey"] as string }),
    ...(fields["source"] === undefined ? {} : { source: fields["source"] as Source }),
  };
}

/** The text of a top-level member of JSON that is known to be valid; the last one when it occurs twice. */
function memberText(json: string, name: string): string | undefined {
  let found: string | undefined;
  let at = skipSpace(json, json.indexOf("{") + 1);
  while (json[at] === '"') {
    const keyEnd = stringEnd(json, at);
    const key = JSON.parse(json.slice(at, keyEnd)) as string;
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = valueEnd(json, start);
    if (key === name) found = json.slice(start, end);
    at = skipSpace(json, skipSpace(json, end) + 1);
  }
  return found;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (at < json.length && " \t\n\r".includes(json[at] as string)) at += 1;
  return at;
}

/** The index after the string that begins at `from`. */
function stringEnd(json: string, from: number): number {
  for (let quote = json.indexOf('"', from + 1); ; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

/** The index after the value that begins at `from`. */
function valueEnd(json: string, from: number): number {
  if (json[from] === '"') return stringEnd(json, from);
  const marks = /["{}[\],]/g;
  let depth = 0;
  marks.lastIndex = from;
  for (let mark = marks.exec(json); mark !== null; mark = marks.exec(json)) {
    if (mark[0] === '"') {
      marks.lastIndex = stringEnd(json, mark.index);
    } else if (mark[0] === "{" || mark[0] === "[") {
      depth += 1;
    } else if (mark[0] === "," ? depth === 0 : depth <= 1) {
      // The end of a bare value stands before the mark, that of an object or array behind it.
      return depth === 0 ? trimEnd(json, from, mark.index) : mark.index + 1;
    } else if (mark[0] !== ",") {
      depth -= 1;
    }
  }
  return json.length;
}

function trimEnd(json: string, from: number, to: number): number {
  let end = to;
  while (end > from && " \t\n\r".includes(json[end - 1] as string)) end -= 1;
  return end;
}
