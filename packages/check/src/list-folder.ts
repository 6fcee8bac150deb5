import { readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { explainFileFault } from "@promptfold/templating/node";
import { CheckPathError } from "./errors.ts";
import { leadsInCircle } from "./folder-links.ts";

/** Something in a folder. */
export interface FolderEntry {
  readonly path: string;
  readonly isFolder: boolean;
}

const SKIPPED = new Set(["node_modules", "dist"]);

/**
 * What is in a folder, links followed, without what begins with a dot and what is installed or built, and without links
 * to a folder around them. A link that leads nowhere is listed as a file: whoever reads it tells of it.
 *
 * @throws CheckPathError when the folder cannot be read
 */
export function listFolder(folder: string): FolderEntry[] {
  const entries = attempt(folder, "folder", () => readdirSync(folder, { withFileTypes: true }));
  return entries
    .filter(({ name }) => !name.startsWith(".") && !SKIPPED.has(name))
    .map((entry) => {
      const path = join(folder, entry.name);
      const isLink = entry.isSymbolicLink();
      return { path, isLink, isFolder: isLink ? isFolder(path) : entry.isDirectory() };
    })
    .filter(({ path, isLink, isFolder }) => !(isLink && isFolder && leadsInCircle(path)))
    .map(({ path, isFolder }) => ({ path, isFolder }));
}

/** Whether a path leads to a folder, also through links. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** What stands at a path that somebody named. @throws CheckPathError when that is nothing */
export function pathKind(path: string): "file" | "folder" | "pipe" {
  const stats = attempt(path, "file or folder", () => statSync(path));
  if (stats.isDirectory()) return "folder";
  return stats.isFile() ? "file" : "pipe";
}

/** @throws CheckPathError unless a path that somebody named leads to what it must be */
export function requireKind(path: string, kind: "file" | "folder"): void {
  const stats: Stats = attempt(path, kind, () => statSync(path));
  if (stats.isDirectory() === (kind === "folder")) return;
  const is = kind === "folder" ? "this is a file; name a folder" : "this is a folder; name a file in it";
  throw new CheckPathError(path, is);
}

function attempt<Result>(path: string, wanted: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    const reason = explainFileFault(cause, wanted);
    throw reason === undefined ? cause : new CheckPathError(path, reason, { cause });
  }
}
