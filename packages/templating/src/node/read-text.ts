import { readFileSync } from "node:fs";
import { UnreadableFileError } from "./errors.ts";

/**
 * A file's text. Bytes that are not UTF-8 are an error: read as replacement characters they would reach a model unseen.
 *
 * @throws UnreadableFileError, and what the file system throws
 */
export function readText(path: string): string {
  const bytes = readFileSync(path);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new UnreadableFileError(path, "the file is not UTF-8 text; save it as UTF-8", { cause });
  }
}

/** Whether a file system error says that something is not there (or is a folder where a file was wanted). */
export function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR";
}
