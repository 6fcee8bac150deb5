import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { parsePromptFile, type PromptFile } from "../prompt-file.ts";
import { requireObject, requireText } from "../require-argument.ts";
import { nameOrigin } from "./config-folder.ts";
import { InvalidPromptNameError, PromptNotFoundError } from "./errors.ts";
import { isMissing } from "./explain-file-fault.ts";
import { readText } from "./read-text.ts";

/**
 * Reads a prompt file by name, with or without `.md`, inside a folder. The folder, and what is in it, may be symbolic
 * links.
 *
 * @throws PromptNotFoundError, InvalidPromptNameError, UnreadableFileError, FrontmatterError, ArgumentTypeError
 */
export function readPrompt(name: string, options: { readonly baseDir: string }): PromptFile {
  requireObject(options, "the second argument", 'where prompts are, as in { baseDir: "prompts" }');
  const { baseDir } = options;
  requireText(baseDir, "baseDir", "the folder of prompts");
  const path = promptPath(name, baseDir);
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if (error instanceof Error && isMissing(error.cause))
      throw new PromptNotFoundError(path, { cause: error.cause });
    throw error;
  }
  return parsePromptFile(text, { file: path, originFile: nameOrigin(path) });
}

/** Where the prompt of that name is, or would be. */
function promptPath(name: string, baseDir: string): string {
  if (typeof (name as unknown) !== "string") throw new InvalidPromptNameError(name, "is no string");
  const stem = name.endsWith(".md") ? name.slice(0, -3) : name;
  if (stem.trim() === "") throw new InvalidPromptNameError(name, "is empty");
  if (stem.includes("\0")) throw new InvalidPromptNameError(name, "holds a null character");
  // Backslashes separate folders on one system only; a name means the same on all.
  const parts = stem.split(/[/\\]/);
  if (isAbsolute(stem) || parts.includes("..")) {
    const inside = relative(resolve(baseDir), resolve(baseDir, ...parts));
    if (
      isAbsolute(stem) ||
      inside === "" ||
      inside === ".." ||
      inside.startsWith(`..${sep}`) ||
      isAbsolute(inside)
    ) {
      throw new InvalidPromptNameError(name, "leaves the folder of prompts");
    }
  }
  return join(baseDir, `${parts.join(sep)}.md`);
}
