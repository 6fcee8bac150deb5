import { readdirSync } from "node:fs";
import { UnreadableFileError } from "./errors.ts";
import { explainFileFault } from "./explain-file-fault.ts";

/**
 * The stems of the `*.md` files that stand in a folder, sorted.
 *
 * @throws UnreadableFileError when the folder is not there or cannot be read
 */
export function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.name.endsWith(".md") && !entry.isDirectory())
      .map((entry) => entry.name.slice(0, -3))
      .sort();
  } catch (cause) {
    const reason = explainFileFault(cause, "folder");
    throw reason === undefined ? cause : new UnreadableFileError(folder, reason, { cause });
  }
}
