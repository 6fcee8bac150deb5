import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { isPlainObject } from "@promptfold/contract";

/** Hexadecimal digits kept of a hash: 64 bits, far beyond what the versions of one prompt can collide in. */
const DIGITS = 16;

/** The first 16 hexadecimal digits of a text's SHA-256. */
export function hashText(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, DIGITS);
}

/** {@link hashText} of a JSON value, whatever the order of its objects' keys. */
export function hashJson(value: unknown): string {
  return hashText(JSON.stringify(value, sortKeys));
}

function sortKeys(_: string, value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
