import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { requireText } from "../require-argument.ts";
import { UnreadableFileError } from "./errors.ts";
import { explainFileFault } from "./explain-file-fault.ts";
import { leadsInCircle } from "./folder-links.ts";

/** Something in a folder. */
export interface FolderEntry {
  readonly path: string;
  readonly isFolder: boolean;
}

const SKIPPED = new Set(["node_modules", "dist"]);

/**
 * What is in a folder, sorted, links followed: without what begins with a dot, what is installed or built (`node_modules`,
 * `dist`), and links to a folder around them. A link that leads nowhere is listed as a file: whoever reads it tells of it.
 *
 * @throws UnreadableFileError when the folder is not there or cannot be read
 */
export function listFolder(folder: string): FolderEntry[] {
  return readEntries(folder)
    .filter(({ name }) => !name.startsWith(".") && !SKIPPED.has(name))
    .map((entry) => {
      const path = join(folder, entry.name);
      const isLink = entry.isSymbolicLink();
      return { path, isLink, isFolder: isLink ? isFolder(path) : entry.isDirectory() };
    })
    .filter(({ path, isLink, isFolder }) => !(isLink && isFolder && leadsInCircle(path)))
    .map(({ path, isFolder }) => ({ path, isFolder }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Every Markdown file under a folder and the folders in it, by the rule of {@link listFolder}. A folder that is reached
 * twice through links is listed once; one in it that cannot be read is under `problems`.
 *
 * @throws UnreadableFileError when the folder itself is not there or cannot be read
 */
export function listMarkdown(folder: string): {
  readonly files: readonly string[];
  readonly problems: readonly UnreadableFileError[];
} {
  const files: string[] = [];
  const problems: UnreadableFileError[] = [];
  const visited = new Set<string>();
  const visit = (inner: string, entries: readonly FolderEntry[]): void => {
    const real = realpathSync(inner);
    if (visited.has(real)) return;
    visited.add(real);
    for (const { path, isFolder } of entries) {
      if (isFolder) enter(path);
      else if (path.endsWith(".md")) files.push(path);
    }
  };
  const enter = (path: string): void => {
    try {
      visit(path, listFolder(path));
    } catch (error) {
      if (!UnreadableFileError.isInstance(error)) throw error;
      problems.push(error);
    }
  };
  visit(folder, listFolder(folder));
  return { files, problems };
}

/** Whether a path leads to a folder, also through links. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function readEntries(folder: string) {
  requireText(folder, "a folder to list", "its path");
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    const reason = explainFileFault(cause, "folder");
    throw reason === undefined ? cause : new UnreadableFileError(folder, reason, { cause });
  }
}
