import { isPlainObject } from "@promptfold/contract";
import { detectFormat } from "@promptfold/renderer";

/** Fields in which logs and proxies keep the body that they saw. */
const wrappers = [
  "body",
  "request",
  "requestBody",
  "request_body",
  "params",
  "payload",
  "input",
  "json",
  "data",
  "postData",
  "text",
  "kwargs",
];
const MAX_DEPTH = 4;

/**
 * The provider body in a line of a log: the line itself, or what it keeps in a field such as `body` or `request`, as
 * an object or as JSON text. Gives back what it was given when no body is in it.
 */
export function unwrapBody(line: unknown, depth = 0): unknown {
  const value = typeof line === "string" ? parseJson(line) : line;
  if (!isPlainObject(value) || isBody(value) || depth >= MAX_DEPTH) return value;
  for (const name of wrappers) {
    if (!Object.hasOwn(value, name)) continue;
    const inner = unwrapBody(value[name], depth + 1);
    if (Array.isArray(inner) ? name !== "input" : isPlainObject(inner) && isBody(inner)) return inner;
  }
  return value;
}

/** Whether a list has bodies in it, each by itself or in a log's object, rather than the messages of one. */
export function isListOfBodies(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some((each) => !isMessage(each) && isReadable(unwrapBody(each)));
}

/** A body, and where it stands in the value that it was found in: `[2]`, `.log.entries[2]`, or nothing. */
export interface LocatedBody {
  readonly body: unknown;
  readonly path: string;
}

/**
 * The bodies in a line of a log, or in a whole file: what it says as JSON text or is as a value, each of a list of
 * bodies, or the requests of a HAR file that have one. What holds none is given back as it is; reading it says why.
 */
export function locateBodies(line: unknown): readonly LocatedBody[] {
  const value = unwrapBody(line);
  const entries = harEntries(value);
  const list = entries ?? (isListOfBodies(value) ? value : undefined);
  if (list === undefined) return [{ body: value, path: "" }];
  const located = list.map((body, index) => ({
    body,
    path: `${entries === undefined ? "" : ".log.entries"}[${index}]`,
  }));
  if (entries === undefined) return located.length === 1 ? [{ body: list[0], path: "" }] : located;
  // A browser's file has requests of every kind in it.
  const bodies = located.filter(({ body }) => isReadable(unwrapBody(body)));
  return bodies.length === 0 ? [{ body: value, path: "" }] : bodies;
}

/** What {@link locateBodies} finds, without the places. */
export function listBodies(line: unknown): readonly unknown[] {
  return locateBodies(line).map(({ body }) => body);
}

/** The requests of a HAR file, as a browser or a proxy saves them. */
export function harEntries(value: unknown): readonly unknown[] | undefined {
  const log = isPlainObject(value) ? value["log"] : undefined;
  const entries = isPlainObject(log) ? log["entries"] : undefined;
  return Array.isArray(entries) ? entries : undefined;
}

/** Whether a list has messages in it, or other items that a model reads. */
export function isListOfMessages(value: readonly unknown[]): boolean {
  return value.some(
    (each) =>
      isPlainObject(each) && ["role", "type", "content", "parts"].some((name) => Object.hasOwn(each, name)),
  );
}

function isReadable(value: unknown): boolean {
  return isPlainObject(value) && isBody(value);
}

/** Items of a request may have a field that a body has, too: a call's `input`. */
function isMessage(value: unknown): boolean {
  return isPlainObject(value) && (typeof value["role"] === "string" || "call_id" in value);
}

function isBody(value: Readonly<Record<string, unknown>>): boolean {
  const format = detectFormat(value);
  // `input` is also what logs call the whole request; only a list or a text is the Responses API's.
  return format !== undefined && (format !== "openai-responses" || !isPlainObject(value["input"]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // the reader says what is wrong with it
  }
}
