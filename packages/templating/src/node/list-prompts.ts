import { relative, sep } from "node:path";
import { PromptfoldError } from "@promptfold/contract";
import { promptKind, type PromptKind } from "../metadata.ts";
import type { Metadata } from "../read-frontmatter.ts";
import { listMarkdown } from "./list-folder.ts";
import { readPrompt } from "./read-prompt.ts";

/** One prompt of a folder. `name` is what `loadPrompt` finds it by, as in `weekly/review`. */
export interface ListedPrompt {
  readonly name: string;
  readonly path: string;
  readonly kind: PromptKind;
  readonly metadata: Metadata;
}

/** A file, or a folder in the folder, that could not be read, and why. */
export interface UnreadablePrompt {
  readonly name: string;
  readonly path: string;
  readonly error: PromptfoldError;
}

/**
 * Lists the prompts of a folder and the folders in it by name, and says which are agent prompts (`tools`) and which
 * generator prompts (`schedule`). A file that cannot be read is listed under `problems`; it neither hides nor stops the
 * others. What begins with a dot is no prompt, nor is what stands in `node_modules` and `dist`.
 *
 * @throws UnreadableFileError when the folder is not there or cannot be read
 */
export function listPrompts(baseDir: string): {
  readonly prompts: readonly ListedPrompt[];
  readonly problems: readonly UnreadablePrompt[];
} {
  const nameOf = (path: string): string => relative(baseDir, path).split(sep).join("/").replace(/\.md$/, "");
  const found = listMarkdown(baseDir);
  const prompts: ListedPrompt[] = [];
  const problems: UnreadablePrompt[] = found.problems.map((error) => ({
    name: nameOf(error.path),
    path: error.path,
    error,
  }));
  for (const path of found.files) {
    const name = nameOf(path);
    try {
      const { metadata } = readPrompt(name, { baseDir });
      prompts.push({ name, path, kind: promptKind(metadata), metadata });
    } catch (error) {
      if (!PromptfoldError.isInstance(error)) throw error;
      problems.push({ name, path, error });
    }
  }
  return { prompts: prompts.sort(byName), problems: problems.sort(byName) };
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
