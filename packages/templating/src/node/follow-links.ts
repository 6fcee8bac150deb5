import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join, parse, resolve, sep } from "node:path";

/** A symbolic link: where it stands, and what it leads to as it was written. */
export interface FollowedLink {
  readonly path: string;
  readonly target: string;
}

/** Where a path leads. */
export interface FollowedPath {
  /** The whole path without links in it, also when nothing is there. */
  readonly path: string;
  /** The links on the way, in the order in which they were met. */
  readonly links: readonly FollowedLink[];
  /** Whether something is there. */
  readonly isThere: boolean;
}

/** As many as the commonest systems follow. */
const MOST_LINKS = 40;

/**
 * Follows every symbolic link in a path, also one that leads to what is not there, or not there yet. Undefined when the
 * links lead in a circle.
 */
export function followLinks(path: string): FollowedPath | undefined {
  const links: FollowedLink[] = [];
  const { root } = parse(path);
  // Not resolved by its letters: `link/..` is the folder around what the link leads to.
  let at = root === "" ? process.cwd() : resolve(root);
  let isThere = true;
  const rest = partsOf(path, root);
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    const stats: Stats | undefined = isThere ? linkStats(next) : undefined;
    isThere = stats !== undefined;
    if (stats?.isSymbolicLink() !== true) {
      at = next;
      continue;
    }
    const target = readlinkSync(next);
    links.push({ path: next, target });
    if (links.length > MOST_LINKS) return undefined;
    const { root: from } = parse(target);
    if (from !== "") at = resolve(from);
    rest.unshift(...partsOf(target, from));
  }
  return { path: at, links, isThere };
}

/** The link on the way of a path that leads to nothing; undefined when there is none. */
export function danglingLink(path: string): FollowedLink | undefined {
  try {
    const followed = followLinks(path);
    if (followed === undefined || followed.isThere) return undefined;
    // Of a link to a folder that is there, in which the rest of the path is not, the link is not at fault.
    return followed.links.findLast((link) => followLinks(link.path)?.isThere === false);
  } catch {
    // What may not be looked at is for whoever reads it to tell.
    return undefined;
  }
}

/**
 * Whether something stands at a path, be it a link to what is not there, which whoever reads it tells of. What may not be
 * looked at, and what is no path to the file system, is not there.
 */
export function isThere(path: string): boolean {
  try {
    return linkStats(path) !== undefined;
  } catch {
    return false;
  }
}

function partsOf(path: string, root: string): string[] {
  return path
    .slice(root.length)
    .split(sep === "\\" ? /[\\/]/ : sep)
    .filter((part) => part !== "" && part !== ".");
}

function linkStats(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
