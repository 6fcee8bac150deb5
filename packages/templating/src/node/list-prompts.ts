import { join } from "node:path";
import { PromptfoldError } from "@promptfold/contract";
import { promptKind, type PromptKind } from "../metadata.ts";
import type { Metadata } from "../read-frontmatter.ts";
import { readFolder } from "./read-folder.ts";
import { readPrompt } from "./read-prompt.ts";

/** One prompt of a folder. */
export interface ListedPrompt {
  readonly name: string;
  readonly path: string;
  readonly kind: PromptKind;
  readonly metadata: Metadata;
}

/** A file that could not be read, and why. */
export interface UnreadablePrompt {
  readonly name: string;
  readonly path: string;
  readonly error: PromptfoldError;
}

/**
 * Lists the prompts of a folder by name, and says which are agent prompts (`tools`) and which generator prompts
 * (`schedule`). A file that cannot be read is listed under `problems`; it neither hides nor stops the others.
 *
 * @throws UnreadableFileError when the folder is not there or cannot be read
 */
export function listPrompts(baseDir: string): {
  readonly prompts: readonly ListedPrompt[];
  readonly problems: readonly UnreadablePrompt[];
} {
  const prompts: ListedPrompt[] = [];
  const problems: UnreadablePrompt[] = [];
  for (const name of readFolder(baseDir)) {
    const path = join(baseDir, `${name}.md`);
    try {
      const { metadata } = readPrompt(name, { baseDir });
      prompts.push({ name, path, kind: promptKind(metadata), metadata });
    } catch (error) {
      if (!PromptfoldError.isInstance(error)) throw error;
      problems.push({ name, path, error });
    }
  }
  return { prompts, problems };
}
