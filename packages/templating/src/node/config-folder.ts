import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { followLinks, isThere } from "./follow-links.ts";
import { isFolder } from "./list-folder.ts";

/** Where things stand in a config folder, be they there or not. */
export interface ConfigPlaces {
  readonly promptsDir: string;
  readonly templatesDir: string;
  /** The file with the identity. */
  readonly journalPath: string;
}

/** Where things stand in the config folder at a path. */
export function configPlaces(root: string): ConfigPlaces {
  return {
    promptsDir: join(root, PROMPTS),
    templatesDir: join(root, TEMPLATES),
    journalPath: join(root, "config", "journal.json"),
  };
}

const PROMPTS = "prompts";
const TEMPLATES = "templates";

/**
 * Whether a folder has a folder `prompts`, so that this holds its prompts and everything else beside it is left alone. A link
 * of that name to what is not there is a fault, and no reason to take something else for the prompts.
 */
export function isConfigFolder(path: string): boolean {
  const { promptsDir } = configPlaces(path);
  return isFolder(promptsDir) || (isThere(promptsDir) && !existsSync(promptsDir));
}

/** Whether a folder is a config folder with something beside its prompts that they are personalised with. */
export function personalises(root: string): boolean {
  const { templatesDir, journalPath } = configPlaces(root);
  if (!isConfigFolder(root)) return false;
  return isThere(templatesDir) || isThere(journalPath);
}

/**
 * The config folder that a folder of prompts or templates belongs to, and the way from it to that folder, be they there or
 * not; undefined for a folder in none. Of config folders inside each other the outermost that personalises its prompts
 * counts, and the innermost when none does: a folder that is merely called `prompts` may hold config folders.
 */
export function placeInConfig(
  folder: string,
): { readonly root: string; readonly inside: string } | undefined {
  const given = resolve(folder);
  // The path as it was given first, so that files are named as the caller names them.
  for (const path of [given, followLinks(folder)?.path ?? given]) {
    const roots = rootsAround(path);
    const root = roots.findLast(personalises) ?? roots[0];
    if (root === undefined) continue;
    const isNamed = path === given && !isAbsolute(folder);
    return { root: isNamed ? relative("", root) || "." : root, inside: relative(root, path) };
  }
  return undefined;
}

/** The folders around each `prompts` and `templates` on a path, the innermost first. */
function rootsAround(path: string): string[] {
  const roots: string[] = [];
  for (let at = path, above = dirname(at); at !== above; at = above, above = dirname(at))
    if (basename(at) === PROMPTS || basename(at) === TEMPLATES) roots.push(above);
  return roots;
}

/**
 * A prompt's or a template's name in events, the same on every machine and from every working folder: its path in the config
 * folder that it is in, as in `prompts/weekly/review.md`, and its file name alone outside of one.
 */
export function nameOrigin(path: string): string {
  const { inside } = placeInConfig(dirname(path)) ?? {};
  return [...(inside === undefined ? [] : inside.split(sep)), basename(path)].join("/");
}
