import { type Stats, statSync } from "node:fs";
import { explainFileFault } from "@promptfold/templating/node";
import { CheckPathError } from "./errors.ts";

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
