import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { CheckUsageError } from "./errors.ts";

/** Prompts that are personalised with the same templates and identity. */
export interface PromptGroup {
  readonly prompts: readonly string[];
  /** The config folder; absent when the prompts are in none. */
  readonly root?: string;
  readonly templatesDir?: string;
  readonly journalPath?: string;
  /** Whether `prompts` is every prompt of the folder, so that what none of them uses is unused. */
  readonly whole: boolean;
}

/** Where templates and identity are, when not beside the prompts. */
export interface PlaceOptions {
  readonly templatesDir?: string;
  readonly journalPath?: string;
}

const SKIPPED = new Set(["node_modules", "dist"]);

/**
 * Finds what to check. A path is a Markdown file, a folder of them, or a config folder (`prompts/`, `templates/`,
 * `config/journal.json`). Templates and identity are found beside the `prompts/` folder that a prompt is in.
 *
 * @throws CheckUsageError when a path is not there or holds no prompt
 */
export function findPrompts(paths: readonly string[], places: PlaceOptions = {}): PromptGroup[] {
  const groups = new Map<string, { prompts: Set<string>; root: string | undefined; whole: boolean }>();
  for (const path of paths) {
    const { prompts, root, whole } = findUnder(path);
    if (prompts.length === 0) {
      throw new CheckUsageError(
        `${path}: no prompt files (*.md) here; give a prompt file or a folder that holds some`,
      );
    }
    const key = root ?? "";
    const group = groups.get(key) ?? { prompts: new Set(), root, whole: false };
    for (const prompt of prompts) group.prompts.add(prompt);
    group.whole ||= whole;
    groups.set(key, group);
  }
  return [...groups.values()].map(({ prompts, root, whole }) => ({
    prompts: [...prompts].sort(),
    whole,
    ...(root === undefined ? {} : { root }),
    ...placesOf(root, places),
  }));
}

function placesOf(root: string | undefined, places: PlaceOptions): PlaceOptions {
  const templatesDir = places.templatesDir ?? existing(root, "templates");
  const journalPath = places.journalPath ?? existing(root, join("config", "journal.json"));
  return {
    ...(templatesDir === undefined ? {} : { templatesDir }),
    ...(journalPath === undefined ? {} : { journalPath }),
  };
}

function existing(root: string | undefined, name: string): string | undefined {
  const path = root === undefined ? undefined : join(root, name);
  return path !== undefined && existsSync(path) ? path : undefined;
}

interface Found {
  readonly prompts: readonly string[];
  /** The config folder. */
  readonly root: string | undefined;
  readonly whole: boolean;
}

function findUnder(path: string): Found {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new CheckUsageError(`${path}: there is no such file or folder; check the path`);
  }
  if (!stats.isDirectory()) return { prompts: [path], root: rootOf(dirname(path)), whole: false };
  const inside = join(path, "prompts");
  if (statSync(inside, { throwIfNoEntry: false })?.isDirectory()) {
    return { prompts: listMarkdown(inside), root: path, whole: true };
  }
  const root = rootOf(path);
  const isPromptsFolder = root !== undefined && basename(realpathSync(path)) === "prompts";
  return { prompts: listMarkdown(path), root, whole: isPromptsFolder };
}

/** The config folder that a folder of prompts or templates belongs to. */
function rootOf(folder: string): string | undefined {
  // The path as it was given first, so that files are named as the caller names them.
  for (const path of [normalize(folder), realpathSync(folder)]) {
    for (let at = path, above = dirname(at); at !== above; at = above, above = dirname(at)) {
      if (basename(at) === "prompts" || basename(at) === "templates") return join(at, "..");
    }
  }
  return undefined;
}

/** Every Markdown file under a folder. A folder that is reached twice through links is listed once. */
function listMarkdown(folder: string, visited: Set<string> = new Set<string>()): string[] {
  const real = realpathSync(folder);
  if (visited.has(real)) return [];
  visited.add(real);
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith(".") || SKIPPED.has(entry.name)) return [];
    const inside = join(folder, entry.name);
    const stats = entry.isSymbolicLink() ? statSync(inside, { throwIfNoEntry: false }) : entry;
    if (stats?.isDirectory()) return listMarkdown(inside, visited);
    return entry.name.endsWith(".md") ? [inside] : [];
  });
}
