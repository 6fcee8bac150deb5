import type { PromptFile, Templates } from "@promptfold/templating";
import { markdownByStem } from "@promptfold/templating/node";
import type { CheckRun } from "./check-run.ts";
import { readingFolder } from "./errors.ts";

/** Templates that remember who was asked for. */
export interface FolderTemplates extends Templates {
  /** The file of each template, by name. */
  readonly paths: ReadonlyMap<string, string>;
  /** The names that were asked for. */
  readonly used: ReadonlySet<string>;
  /** The names that were asked for and could not be read. */
  readonly unreadable: ReadonlySet<string>;
}

/**
 * A folder's templates for a check: one that cannot be read is a finding, and an empty text to whoever uses it, so that it
 * stops neither the check of its users nor hides what else is wrong with them.
 *
 * @throws CheckPathError when the folder cannot be read
 */
export function readFolderTemplates(run: CheckRun, templatesDir: string): FolderTemplates {
  const paths = readingFolder(() => markdownByStem(templatesDir));
  const used = new Set<string>();
  const unreadable = new Set<string>();
  return {
    paths,
    used,
    unreadable,
    has: (name) => paths.has(name),
    keys: () => [...paths.keys()].sort(),
    get: (name) => {
      const path = paths.get(name);
      used.add(name);
      if (path === undefined) return undefined;
      const file = run.readPrompt(path);
      if (file === undefined) unreadable.add(name);
      return file ?? emptyFile(path);
    },
  };
}

function emptyFile(file: string): PromptFile {
  return {
    file,
    originFile: file,
    text: "",
    metadata: {},
    body: "",
    bodyStart: 0,
    locate: () => ({ line: 1, column: 1 }),
  };
}
