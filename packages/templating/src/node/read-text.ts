import { readFileSync } from "node:fs";
import { UnreadableFileError } from "./errors.ts";
import { explainFileFault } from "./explain-file-fault.ts";

/**
 * A file's text. Bytes that are not UTF-8 are an error: read as replacement characters they would reach a model unseen.
 *
 * @throws UnreadableFileError for these, and for a file that is not there or cannot be read; `cause` is what the file
 *   system said
 */
export function readText(path: string): string {
  return decodeText(path, readBytes(path));
}

/** The text that bytes are. @throws UnreadableFileError, with the name given to it, when they are not UTF-8 */
export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new UnreadableFileError(path, "the file is not UTF-8 text; save it as UTF-8", { cause });
  }
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    const reason = explainFileFault(cause);
    throw reason === undefined ? cause : new UnreadableFileError(path, reason, { cause });
  }
}
