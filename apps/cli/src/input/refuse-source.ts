import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { followLinks, isFolder, listFolder } from "@promptfold/templating/node";
import { UsageError } from "../errors.ts";

/**
 * Refuses to write over what is read: it would be lost, and a watch would follow itself. A file is the same by what it is and
 * not by how it is named: through links, and by another name of it. In a folder that is read, every Markdown file is a
 * source, also one that is not there yet.
 *
 * @param made - what is written
 * @throws UsageError
 */
export function refuseSource(out: string, sources: readonly string[], made: string): void {
  const target = placeOf(out);
  const identity = fileIdentity(out);
  const isTarget = (path: string): boolean =>
    placeOf(path) === target || (identity !== undefined && fileIdentity(path) === identity);
  const isSource = (source: string): boolean => {
    if (isTarget(source) || (target.endsWith(".md") && placeOf(source) === dirname(target))) return true;
    // Another name of a file in the folder.
    return (
      identity !== undefined && isFolder(source) && listFolder(source).some(({ path }) => isTarget(path))
    );
  };
  if (sources.some(isSource))
    throw new UsageError(`--out ${out}: ${made} is made from this file; write it somewhere else`);
}

/** Where a path leads when its links are followed. */
function placeOf(path: string): string {
  return attempt(() => followLinks(path)?.path) ?? resolve(path);
}

/** What tells a file from any other; undefined for what is none, which may be read and written at once. */
function fileIdentity(path: string): string | undefined {
  const stats = attempt(() => statSync(path, { bigint: true }));
  return stats?.isFile() === true ? `${stats.dev}:${stats.ino}` : undefined;
}

/** What may not be looked at is told by whoever reads or writes it. */
function attempt<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
