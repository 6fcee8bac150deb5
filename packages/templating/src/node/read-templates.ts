import { parsePromptFile, type PromptFile } from "../prompt-file.ts";
import type { Templates } from "../variables.ts";
import { nameOrigin } from "./config-folder.ts";
import { markdownByStem } from "./list-folder.ts";
import { readText } from "./read-text.ts";

/**
 * The templates of a folder: every `*.md` file in it whose name begins with no dot, named by its stem. A file is read when
 * it is first used, so a broken template stops only the prompts that use it.
 *
 * @throws UnreadableFileError when the folder is not there or cannot be read
 */
export function readTemplates(templatesDir: string): Templates {
  const paths = markdownByStem(templatesDir);
  const read = new Map<string, PromptFile>();
  return {
    has: (name) => paths.has(name),
    keys: () => [...paths.keys()].sort(),
    get: (name) => {
      const path = paths.get(name);
      if (path === undefined) return undefined;
      const known =
        read.get(name) ?? parsePromptFile(readText(path), { file: path, originFile: nameOrigin(path) });
      read.set(name, known);
      return known;
    },
  };
}
