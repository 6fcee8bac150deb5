import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { PromptFile, Templates } from "@promptfold/templating";
import type { CheckRun } from "./check-run.ts";

/** Templates that remember who was asked for. */
export interface FolderTemplates extends Templates {
  /** The file of each template, by name. */
  readonly paths: ReadonlyMap<string, string>;
  /** The names that were asked for. */
  readonly used: ReadonlySet<string>;
}

/**
 * A folder's templates for a check: one that cannot be read is a finding, and an empty text to whoever uses it, so that it
 * stops neither the check of its users nor hides what else is wrong with them.
 */
export function readFolderTemplates(run: CheckRun, templatesDir: string): FolderTemplates {
  const paths = new Map<string, string>();
  for (const entry of readdirSync(templatesDir, { withFileTypes: true })) {
    if (!entry.name.endsWith(".md") || entry.isDirectory()) continue;
    paths.set(entry.name.slice(0, -3), join(templatesDir, entry.name));
  }
  const used = new Set<string>();
  return {
    paths,
    used,
    has: (name) => paths.has(name),
    keys: () => [...paths.keys()].sort(),
    get: (name) => {
      const path = paths.get(name);
      used.add(name);
      return path === undefined ? undefined : (run.readPrompt(path) ?? emptyFile(path));
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
