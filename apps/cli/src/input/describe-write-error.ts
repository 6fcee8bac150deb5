import { dirname } from "node:path";
import { danglingLink, explainFileFault } from "@promptfold/templating/node";
import { InputError } from "../errors.ts";

/** Why a file cannot be written, as one line with a remedy; errors that are not of the file system stay as they are. */
export function describeWriteError(path: string, error: unknown): unknown {
  const reason = explainFileFault(error);
  if (reason === undefined) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return new InputError(`${path}: ${explainWriteFault(path, code) ?? reason}`, { cause: error });
}

function explainWriteFault(path: string, code: string): string | undefined {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      // What a link leads to is told by its reason.
      if (danglingLink(path) !== undefined) return undefined;
      return `there is no folder ${dirname(path)} to write into; make it, or write somewhere else`;
    case "EISDIR":
      return "this is a folder; name a file in it";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "this user may not write here; write somewhere else";
    case "ENOSPC":
      return "the disk is full; free some space";
    default:
      return undefined;
  }
}
