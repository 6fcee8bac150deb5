import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import {
  configPlaces,
  type ConfigPlaces,
  isConfigFolder,
  isFolder,
  isThere,
  listFolder,
  listMarkdown,
  personalises,
  placeInConfig,
  walkFolders,
} from "@promptfold/templating/node";
import { CheckPathError, readingFolder } from "./errors.ts";
import { pathKind, requireKind } from "./path-kind.ts";

/** Prompts that are personalised with the same templates and identity. */
export interface PromptGroup {
  readonly prompts: readonly string[];
  /** The config folder; absent when the prompts are in none. */
  readonly root?: string | undefined;
  readonly templatesDir?: string | undefined;
  readonly journalPath?: string | undefined;
  /** Whether `prompts` is every prompt of the folder, so that what none of them uses is unused. */
  readonly whole: boolean;
  /** The config folder that prompts are in, but outside its `prompts/`, so that nothing in it belongs to them. */
  readonly outside?: string | undefined;
  /** Markdown that stands directly in the config folder and so is no prompt; empty unless the whole folder was asked for. */
  readonly beside: readonly string[];
}

/** Where templates and identity are, when not beside the prompts. */
export interface PlaceOptions {
  readonly templatesDir?: string | undefined;
  readonly journalPath?: string | undefined;
}

/**
 * Finds what to check. A path is a Markdown file, a config folder (`prompts/`, `templates/`, `config/journal.json`), a
 * folder that holds config folders at any depth, or a folder of Markdown files in none. Where there are config folders, only
 * what is in their `prompts/` counts as a prompt. Templates and identity are found beside the `prompts/` folder that a
 * prompt is in.
 *
 * @throws CheckPathError when a path is not there, cannot be read or holds no prompt, or when one of `places` is not there
 */
export function findPrompts(paths: readonly string[], places: PlaceOptions = {}): PromptGroup[] {
  if (places.templatesDir !== undefined) requireKind(places.templatesDir, "folder");
  if (places.journalPath !== undefined) requireKind(places.journalPath, "file");
  const groups = new Map<string, Group>();
  for (const { prompts, root, whole, outside, beside = [] } of paths.flatMap(findUnder).flatMap(byOwnRoot)) {
    const key = JSON.stringify([root, outside]);
    const group = groups.get(key) ?? { prompts: new Set(), root, outside, whole: false, beside: new Set() };
    for (const prompt of prompts) group.prompts.add(prompt);
    for (const path of beside) group.beside.add(path);
    group.whole ||= whole;
    groups.set(key, group);
  }
  return [...groups.values()].map(({ prompts, root, outside, whole, beside }) => ({
    prompts: [...prompts].sort(),
    whole,
    beside: [...beside].sort(),
    root,
    outside,
    templatesDir: places.templatesDir ?? existing(root, "templatesDir"),
    journalPath: places.journalPath ?? existing(root, "journalPath"),
  }));
}

interface Group {
  readonly prompts: Set<string>;
  readonly root: string | undefined;
  readonly outside: string | undefined;
  readonly beside: Set<string>;
  whole: boolean;
}

function existing(root: string | undefined, place: keyof ConfigPlaces): string | undefined {
  const path = root === undefined ? undefined : configPlaces(root)[place];
  return path !== undefined && isThere(path) ? path : undefined;
}

interface Found {
  readonly prompts: readonly string[];
  /** The config folder. */
  readonly root: string | undefined;
  readonly whole: boolean;
  readonly outside?: string | undefined;
  readonly beside?: readonly string[];
}

function findUnder(path: string): Found[] {
  const kind = pathKind(path);
  if (kind !== "folder") {
    const root = rootOf(dirname(path));
    return [{ prompts: [path], root, whole: false, outside: outsideOf(root, dirname(path)) }];
  }
  const found = findInFolder(path).filter(({ prompts }) => prompts.length > 0);
  if (found.length > 0) return found;
  throw new CheckPathError(
    path,
    "no prompt files (*.md) here; give a prompt file or a folder that holds some",
  );
}

function findInFolder(path: string): Found[] {
  const root = rootOf(path);
  if (root === undefined) {
    const isConfig = isConfigFolder(path);
    const own = isConfig ? configFolder(path) : undefined;
    if (own !== undefined && own.prompts.length > 0) return [own];
    const nested = findConfigFolders(path).map(configFolder);
    if (nested.length > 0 || isConfig) return nested;
  } else if (isConfigFolder(path) && !personalises(root)) return [configFolder(path)];
  return [{ prompts: markdownIn(path), root, whole: isAllOf(root, path), outside: outsideOf(root, path) }];
}

/**
 * What was found, by the config folder that each prompt belongs to: in one that personalises none, an inner one may, and
 * then what is beside that one's `prompts/` is no prompt.
 */
function byOwnRoot(found: Found): readonly Found[] {
  const { root: outer, prompts } = found;
  if (outer === undefined || personalises(outer)) return [found];
  const owners = prompts.map((prompt) => rootOf(dirname(prompt))).filter((root) => root !== undefined);
  const inner = [...new Set(owners)].filter(personalises);
  const own = prompts.filter((prompt) => !inner.some((root) => isInside(root, prompt)));
  return [{ ...found, prompts: own }, ...inner.map(configFolder)];
}

function isInside(folder: string, path: string): boolean {
  return !relative(folder, path).startsWith("..");
}

/** Whether a folder is that of all prompts of a config folder. */
function isAllOf(root: string | undefined, folder: string): boolean {
  if (root === undefined) return false;
  const { promptsDir } = configPlaces(root);
  return isFolder(promptsDir) && realpathSync(folder) === realpathSync(promptsDir);
}

/**
 * The nearest config folder around a folder that belongs to none, when it has something to personalise prompts with; named
 * as the caller names the folder, from the working folder or whole.
 */
function outsideOf(root: string | undefined, folder: string): string | undefined {
  if (root !== undefined) return undefined;
  for (let at = resolve(folder), above = dirname(at); at !== above; at = above, above = dirname(at)) {
    if (!isConfigFolder(at)) continue;
    if (!personalises(at)) return undefined;
    return isAbsolute(folder) ? at : relative("", at) || ".";
  }
  return undefined;
}

function configFolder(root: string): Found {
  const prompts = markdownIn(configPlaces(root).promptsDir);
  const beside = readingFolder(() => listFolder(root)).filter(
    ({ path, isFolder }) => !isFolder && path.endsWith(".md"),
  );
  return { prompts, root, whole: true, beside: beside.map(({ path }) => path) };
}

/** The config folders with prompts under a folder that is none. One that is reached twice through links counts once. */
function findConfigFolders(folder: string): string[] {
  const found: string[] = [];
  walkFolders(folder, (path) => {
    const isOne = path !== folder && isConfigFolder(path) && configFolder(path).prompts.length > 0;
    if (!isOne) return readingFolder(() => listFolder(path));
    found.push(path);
    return [];
  });
  return found.sort();
}

/** The config folder that a folder of prompts or templates belongs to. */
function rootOf(folder: string): string | undefined {
  return placeInConfig(folder)?.root;
}

/** The config folders that paths lead into, also where no prompt is there yet. */
export function findRoots(paths: readonly string[]): string[] {
  const roots = paths.flatMap((path) =>
    isFolder(path)
      ? attempt(() => findInFolder(path).flatMap(byOwnRoot)).map(({ root }) => root)
      : [rootOf(dirname(path))],
  );
  return [...new Set(roots.filter((root) => root !== undefined))];
}

/** What cannot be read is told by whoever checks it. */
function attempt<Result>(find: () => Result[]): Result[] {
  try {
    return find();
  } catch (error) {
    if (CheckPathError.isInstance(error)) return [];
    throw error;
  }
}

/** @throws CheckPathError when the folder, or one in it, cannot be read */
function markdownIn(folder: string): readonly string[] {
  const { files, problems } = readingFolder(() => listMarkdown(folder));
  const [problem] = problems;
  if (problem === undefined) return files;
  throw new CheckPathError(problem.path, problem.reason, { cause: problem.cause });
}
