import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { UnreadableFileError } from "@promptfold/templating/node";
import { InputError } from "../errors.ts";

/** How messages name standard input. */
export const STDIN_NAME = "<stdin>";

/** A text and how to name it in messages. */
export interface TextInput {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads a file argument, `-` being standard input.
 *
 * @throws InputError for a file that cannot be read or is not UTF-8
 */
export async function readTextInput(path: string): Promise<TextInput> {
  if (path === "-") return { name: STDIN_NAME, text: await text(process.stdin) };
  return { name: path, text: readTextFile(path) };
}

/** The same for an option that names a file. */
export function readTextFile(path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError)
      throw new UnreadableFileError(path, "the file is not UTF-8 text; save it as UTF-8");
    throw describeReadError(path, error);
  }
}

/** The error of the file system as one line with a remedy; other errors stay as they are. */
export function describeReadError(path: string, error: unknown): unknown {
  switch (codeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return new InputError(`${path}: there is no such file; check the path`, { cause: error });
    case "EISDIR":
      return new InputError(`${path}: this is a folder; name a file in it`, { cause: error });
    case "EACCES":
    case "EPERM":
      return new InputError(`${path}: the file may not be read; give this user access to it`, {
        cause: error,
      });
    default:
      return error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
