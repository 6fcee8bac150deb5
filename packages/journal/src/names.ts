import { InvalidNameError } from "./errors.ts";
import { limits } from "./limits.ts";

const UNPRINTABLE = /[\p{Cc}\p{Surrogate}]/u;
const UNFIT_FOR_NAMES = /[\p{Cc}\p{Surrogate}]|\p{Noncharacter_Code_Point}/u;

/** What is wrong with a name as text, or `undefined`: it is a non-empty, bounded string of characters that can be shown. */
export function nameProblem(name: unknown, maxBytes: number): string | undefined {
  return textProblem(name, maxBytes, UNFIT_FOR_NAMES);
}

/**
 * What is wrong with an idempotency key, or `undefined`. It may hold what an author may write, such as a section's key: a key
 * is only ever compared, so code points that are no characters do no harm in it.
 */
export function keyProblem(key: unknown): string | undefined {
  return textProblem(key, limits.idempotencyKeyBytes, UNPRINTABLE);
}

function textProblem(text: unknown, maxBytes: number, unfit: RegExp): string | undefined {
  if (typeof text !== "string") return "is not a string";
  if (text === "") return "is empty";
  // Nearly every text; the full rules cost several times as much.
  if (text.length <= maxBytes && isPlain(text)) return undefined;
  // The length first: measuring needs no look at a text that is far too long.
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) {
    return `is longer than ${maxBytes} bytes; shorten it, or what it is made from`;
  }
  if (unfit.test(text))
    return `${quote(text)} holds a control character, half a surrogate pair or a code point that is no character`;
  return undefined;
}

/** Whether it is printable ASCII. A loop: for so few characters a regular expression takes longer to begin. */
function isPlain(name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const code = name.charCodeAt(index);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/** What is wrong with a stream's name, or `undefined`: it starts with "/", without control characters. */
export function streamNameProblem(stream: unknown): string | undefined {
  return (
    nameProblem(stream, limits.streamBytes) ??
    ((stream as string).startsWith("/") ? undefined : explainNoSlash(stream as string))
  );
}

/** Throws `InvalidNameError` unless the name can be a stream's. */
export function checkStreamName(stream: unknown): asserts stream is string {
  const problem = streamNameProblem(stream);
  if (problem !== undefined) throw new InvalidNameError(`the stream name ${problem}`);
}

function explainNoSlash(stream: string): string {
  return `${quote(stream)} does not start with "/"; write ${quote(`/${stream}`)}`;
}

/** Throws `InvalidNameError` unless the text can start a stream's name; the empty prefix stands for every stream. */
export function checkPrefix(prefix: unknown): asserts prefix is string {
  if (prefix !== "") checkStreamName(prefix);
}

/** Throws `InvalidNameError` unless the name can be a processor's or a version's; `what` says which. */
export function checkName(name: unknown, what: string): asserts name is string {
  const problem = nameProblem(name, limits.nameBytes);
  if (problem !== undefined) throw new InvalidNameError(`the ${what} ${problem}`);
}

/**
 * The least text above every name that starts with the prefix, in code point order: no name holds U+10FFFF, so a scan
 * by prefix is a range and uses the index.
 */
export function prefixEnd(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}

function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
