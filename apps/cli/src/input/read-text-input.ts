import { existsSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { decodeText, explainFileFault, isThere, readText, STDIN_NAME } from "@promptfold/templating/node";
import { InputError } from "../errors.ts";

/** A text and how to name it in messages. */
export interface TextInput {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads a file argument, `-` being standard input.
 *
 * @throws UnreadableFileError or InputError for what cannot be read or is not UTF-8
 */
export async function readTextInput(path: string): Promise<TextInput> {
  if (path === "-") return { name: STDIN_NAME, text: await readStdin() };
  try {
    return { name: path, text: readText(path, { mayBePipe: true }) };
  } catch (error) {
    // What is there, be it a link that leads to nothing, was meant.
    const near = isThere(path) ? undefined : nearFile(path);
    if (near === undefined) throw error;
    throw new InputError(`${path}: there is no such file; did you mean ${near}?`, { cause: error });
  }
}

/** The prompt file that a name without its folder or its ending most likely means. */
function nearFile(path: string): string | undefined {
  const names = path.endsWith(".md") ? [path] : [path, `${path}.md`];
  return names.flatMap((name) => [name, join("prompts", name)]).find((name) => existsSync(name));
}

async function readStdin(): Promise<string> {
  try {
    return decodeText(STDIN_NAME, await buffer(process.stdin));
  } catch (error) {
    throw describeReadError(STDIN_NAME, error);
  }
}

/** The error of the file system as one line with a remedy; other errors stay as they are. */
export function describeReadError(path: string, error: unknown): unknown {
  const reason = explainFileFault(error);
  return reason === undefined ? error : new InputError(`${path}: ${reason}`, { cause: error });
}
