import { isPlainObject } from "@promptfold/contract";
import { detectFormat } from "@promptfold/renderer";

/** Fields in which logs and proxies keep the body that they saw. */
const wrappers = [
  "body",
  "request",
  "requestBody",
  "request_body",
  "proxy_server_request",
  "params",
  "payload",
  "input",
  "inputs",
  "inputBodyJson",
  "json",
  "data",
  "postData",
  "text",
  "kwargs",
];
const MAX_DEPTH = 4;

/** A body, and what its log says beside it. */
export interface LoggedBody {
  /** The provider body; what was given where there is none in it. */
  readonly body: unknown;
  /** Where it was sent. */
  readonly url: string | undefined;
  /** The model, which some APIs have in the address and not in the body. */
  readonly model: string | undefined;
}

/**
 * The provider body in a line of a log: the line itself, or what it keeps in a field such as `body` or `request`, as
 * an object or as JSON text; with the address and the model that stand beside it.
 */
export function readLogged(line: unknown): LoggedBody {
  const logged = unwrap(line, 0, { url: undefined, model: undefined });
  return { ...logged, model: logged.model ?? modelInAddress(logged.url) };
}

/** Gemini's and Bedrock's addresses name the model: `/models/gemini-3-pro:generateContent`. */
function modelInAddress(url: string | undefined): string | undefined {
  return /\/models?\/([^/:?#%]+)/.exec(url ?? "")?.[1];
}

/** The provider body in a line of a log. Gives back what it was given when no body is in it. */
export function unwrapBody(line: unknown): unknown {
  return readLogged(line).body;
}

function unwrap(line: unknown, depth: number, around: Omit<LoggedBody, "body">): LoggedBody {
  const value = typeof line === "string" ? parseJson(line) : line;
  if (!isPlainObject(value)) return { body: value, ...around };
  const found = { body: value, url: textIn(value, urls) ?? around.url, model: around.model };
  if (detectFormat(value) !== undefined || depth >= MAX_DEPTH) return found;
  const beside = { url: found.url, model: textIn(value, models) ?? around.model };
  for (const name of wrappers) {
    if (!Object.hasOwn(value, name)) continue;
    const inner = unwrap(value[name], depth + 1, beside);
    if (Array.isArray(inner.body) ? name !== "input" : isReadable(inner.body)) return inner;
  }
  return found;
}

const urls = ["url", "uri", "path", "endpoint", "request_url", "requestUrl"];
const models = ["model", "modelId", "model_id"];

function textIn(value: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = Object.hasOwn(value, name) ? value[name] : undefined;
    if (typeof text === "string" && text !== "") return text;
  }
  return undefined;
}

/** Whether a list has bodies in it, each by itself or in a log's object, rather than the messages of one. */
export function isListOfBodies(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some((each) => !isMessage(each) && isReadable(unwrapBody(each)));
}

/** A body, and where it stands in the value that it was found in: `[2]`, `.log.entries[2]`, or nothing. */
export interface LocatedBody {
  /** The body, in what its log keeps around it: its address, and the response. */
  readonly body: unknown;
  readonly path: string;
}

/**
 * The bodies in a line of a log, or in a whole file: what it says as JSON text or is as a value, each of a list of
 * bodies, or the requests of a HAR file that have one. What holds none is given back as it is; reading it says why.
 */
export function locateBodies(line: unknown): readonly LocatedBody[] {
  const value = typeof line === "string" ? parseJson(line) : line;
  const found = unwrapBody(value);
  const entries = harEntries(found);
  const list = entries ?? (isListOfBodies(found) ? found : undefined);
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
  return isPlainObject(value) && detectFormat(value) !== undefined;
}

/** Items of a request may have a field that a body has, too: a call's `input`. */
function isMessage(value: unknown): boolean {
  return isPlainObject(value) && (typeof value["role"] === "string" || "call_id" in value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // the reader says what is wrong with it
  }
}
