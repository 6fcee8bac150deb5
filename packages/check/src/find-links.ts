import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { followLinks, leadsInCircle } from "@promptfold/templating/node";

/** Where the links on the way of a path stand, and what each of them leads to, be it there or not. */
export function linksOnTheWay(path: string): string[] {
  try {
    const followed = followLinks(path);
    if (followed === undefined || followed.links.length === 0) return [];
    return [
      ...followed.links.flatMap((link) => [link.path, followLinks(link.path)?.path ?? []]),
      followed.path,
    ].flat();
  } catch {
    return [];
  }
}

/** The links inside a folder, at any depth, also behind links, and also those that lead to what is not there. */
export function findLinks(
  folder: string,
  ignored: (path: string, stats?: { isFile: () => boolean }) => boolean,
): string[] {
  const links: string[] = [];
  const visited = new Set<string>();
  const visit = (at: string): void => {
    const real = realpathSync(at);
    if (visited.has(real)) return;
    visited.add(real);
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isSymbolicLink()) {
        const stats = statOf(path);
        if (ignored(path, stats)) continue;
        links.push(path);
        if (stats?.isDirectory() === true && !leadsInCircle(path)) enter(path);
      } else if (entry.isDirectory() && !ignored(path)) enter(path);
    }
  };
  const enter = (path: string): void => {
    try {
      visit(path);
    } catch {
      // What cannot be looked into holds nothing that could be waited for.
    }
  };
  if (statOf(folder)?.isDirectory() === true) enter(folder);
  return links;
}

function statOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
