import { readFileSync, statSync } from "node:fs";
import { requireText } from "../require-argument.ts";
import { UnreadableFileError } from "./errors.ts";
import { explainFileFault } from "./explain-file-fault.ts";

/** How messages name standard input, which has no path. */
export const STDIN_NAME = "<stdin>";

/** How to read a file. */
export interface ReadTextOptions {
  /**
   * Whether a pipe or a terminal is read to its end, too, which may never come: for a path that a person named, such as
   * `<(command)` in a shell. What merely stands in a folder must be a file.
   */
  readonly mayBePipe?: boolean | undefined;
}

/**
 * A file's text. Bytes that are not UTF-8 are an error: read as replacement characters they would reach a model unseen.
 *
 * @throws UnreadableFileError for these, and for a file that is not there, cannot be read or is a pipe, a socket or a
 *   device; `cause` is what the file system said
 */
export function readText(path: string, options: ReadTextOptions = {}): string {
  requireText(path, "a file to read", "its path");
  return decodeText(path, readBytes(path, options));
}

/** The text that bytes are. @throws UnreadableFileError, with the name given to it, when they are not UTF-8 */
export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new UnreadableFileError(path, "the file is not UTF-8 text; save it as UTF-8", { cause });
  }
}

function readBytes(path: string, { mayBePipe = false }: ReadTextOptions): Uint8Array {
  try {
    const stats = statSync(path);
    const isPipe = stats.isFIFO() || stats.isCharacterDevice();
    // Of a folder the file system says it better.
    if (!stats.isFile() && !stats.isDirectory() && !(mayBePipe && isPipe))
      throw new UnreadableFileError(path, "this is a pipe, a socket or a device, and no file; name a file");
    return readFileSync(path);
  } catch (cause) {
    const reason = explainFileFault(cause);
    throw reason === undefined ? cause : new UnreadableFileError(path, reason, { cause });
  }
}
