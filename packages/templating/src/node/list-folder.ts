import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { requireText } from "../require-argument.ts";
import { UnreadableFileError } from "./errors.ts";
import { explainFileFault } from "./explain-file-fault.ts";
import { leadsInCircle } from "./leads-in-circle.ts";

/** Something in a folder. */
export interface FolderEntry {
  readonly path: string;
  /** Whether it is a folder, or a link to one. */
  readonly isFolder: boolean;
  readonly isLink: boolean;
}

const SKIPPED = new Set(["node_modules", "dist"]);

/** Whether a listing shows what has that name: not what begins with a dot, is installed or is built. */
export function isListed(name: string): boolean {
  return !name.startsWith(".") && !SKIPPED.has(name);
}

/**
 * What is in a folder, sorted, links followed: without what begins with a dot, what is installed or built (`node_modules`,
 * `dist`), and links to a folder around them. A link that leads nowhere is listed as a file: whoever reads it tells of it.
 *
 * @throws UnreadableFileError when the folder is not there or cannot be read
 */
export function listFolder(folder: string): FolderEntry[] {
  return readEntries(folder)
    .filter(({ name }) => isListed(name))
    .map((entry) => {
      const path = join(folder, entry.name);
      const isLink = entry.isSymbolicLink();
      return { path, isLink, isFolder: isLink ? isFolder(path) : entry.isDirectory() };
    })
    .filter(({ path, isLink, isFolder }) => !(isLink && isFolder && leadsInCircle(path)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Goes through a folder and the folders in it, each once: one that links lead to is named after the link only when no way
 * without links leads there.
 *
 * @param visit - gets a folder, and gives what is in it and to be gone through
 */
export function walkFolders(folder: string, visit: (path: string) => readonly FolderEntry[]): void {
  const visited = new Set<string>();
  const links: string[] = [];
  const enter = (path: string): void => {
    const real = realOf(path);
    if (visited.has(real)) return;
    visited.add(real);
    for (const entry of visit(path)) {
      if (!entry.isFolder) continue;
      if (entry.isLink) links.push(entry.path);
      else enter(entry.path);
    }
  };
  enter(folder);
  for (let next = links.shift(); next !== undefined; next = links.shift()) enter(next);
}

/**
 * Every Markdown file under a folder and the folders in it, sorted, by the rule of {@link listFolder}. A folder that is
 * reached twice through links is listed once; one in it that cannot be read, and a link that would be one and leads
 * nowhere, is under `problems`.
 *
 * @throws UnreadableFileError when the folder itself is not there or cannot be read
 */
export function listMarkdown(folder: string): {
  readonly files: readonly string[];
  readonly problems: readonly UnreadableFileError[];
} {
  const files: string[] = [];
  const problems: UnreadableFileError[] = [];
  walkFolders(folder, (path) => {
    try {
      const entries = listFolder(path);
      for (const entry of entries) {
        if (entry.isFolder) continue;
        if (entry.path.endsWith(".md")) files.push(entry.path);
        else if (entry.isLink) problems.push(...deadFolder(entry.path));
      }
      return entries;
    } catch (error) {
      if (path === folder || !UnreadableFileError.isInstance(error)) throw error;
      problems.push(error);
      return [];
    }
  });
  return { files: files.sort(), problems };
}

/** The Markdown files directly in a folder by their stems, sorted. @throws UnreadableFileError when it cannot be read */
export function markdownByStem(folder: string): Map<string, string> {
  const files = listFolder(folder).filter(({ path, isFolder }) => path.endsWith(".md") && !isFolder);
  return new Map(files.map(({ path }) => [basename(path, ".md"), path]));
}

/** Whether a path leads to a folder, also through links. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** What is wrong with a link without the ending of a file, so that it was to lead to a folder, when it leads nowhere. */
function deadFolder(path: string): UnreadableFileError[] {
  if (extname(path) !== "") return [];
  try {
    statSync(path);
    return [];
  } catch (cause) {
    const reason = explainFileFault(cause, "folder");
    return reason === undefined ? [] : [new UnreadableFileError(path, reason, { cause })];
  }
}

/** What cannot be followed is for whoever reads it to tell. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
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
