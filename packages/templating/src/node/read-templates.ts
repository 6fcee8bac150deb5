import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parsePromptFile, type PromptFile } from "../prompt-file.ts";
import type { Templates } from "../variables.ts";
import { originName } from "./read-prompt.ts";
import { readText } from "./read-text.ts";

/**
 * The templates of a folder: every `*.md` file in it, named by its stem. A file is read when it is first used, so a
 * broken template stops only the prompts that use it.
 *
 * @throws what the file system throws when the folder cannot be read
 */
export function readTemplates(templatesDir: string): Templates {
  const paths = new Map<string, string>();
  for (const entry of readdirSync(templatesDir, { withFileTypes: true })) {
    if (entry.name.endsWith(".md") && !entry.isDirectory()) {
      paths.set(entry.name.slice(0, -3), join(templatesDir, entry.name));
    }
  }
  const read = new Map<string, PromptFile>();
  return {
    has: (name) => paths.has(name),
    keys: () => [...paths.keys()].sort(),
    get: (name) => {
      const path = paths.get(name);
      if (path === undefined) return undefined;
      const known =
        read.get(name) ??
        parsePromptFile(readText(path), { file: path, originFile: originName(templatesDir, path) });
      read.set(name, known);
      return known;
    },
  };
}
