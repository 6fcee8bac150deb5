import { basename, dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { configPlaces, isFolder, isListed } from "@promptfold/templating/node";
import { checkPaths, type CheckOptions } from "./check-paths.ts";
import { CheckPathError } from "./errors.ts";
import { findRoots } from "./find-prompts.ts";
import type { CheckResult } from "./finding.ts";
import { watchFiles } from "./watch-files.ts";

/** How to watch. */
export interface WatchOptions extends CheckOptions {
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Gets the result of the first check and of every later one. */
  readonly onResult: (result: CheckResult) => void;
  /** Gets what a check throws, such as a folder that holds no prompt yet, or no more; the watch goes on. */
  readonly onError: (error: unknown) => void;
  /** How long files must be quiet before they are checked again, in milliseconds. */
  readonly quietMs?: number | undefined;
}

/**
 * Checks paths, and again whenever a prompt, a template or `journal.json` has other content. A file that is written without
 * a change, and any other file, starts no check, so a report written beside the prompts does not either.
 *
 * @returns when `signal` is aborted
 * @throws CheckPathError when a folder that is named, or that of a file that is named, is not there at the start
 */
export async function watchPaths(paths: readonly string[], options: WatchOptions): Promise<void> {
  const { signal, onResult, onError, quietMs } = options;
  let last: CheckResult | string;
  try {
    last = await checkPaths(paths, options);
    onResult(last);
  } catch (error) {
    if (!CheckPathError.isInstance(error) || !mayCome(paths, options)) throw error;
    last = String(error);
    onError(error);
  }
  const { journalPath } = options;
  const named = new Set(
    [...paths, ...(journalPath === undefined ? [] : [journalPath])].map((path) => resolve(path)),
  );
  await watchFiles(foldersOf(paths, options), {
    signal,
    ignored: (path, stats) => !named.has(path) && isIrrelevant(path, stats),
    onChange: async () => {
      try {
        const result = await checkPaths(paths, options);
        if (typeof last !== "string" && isSame(last, result)) return;
        last = result;
        onResult(result);
      } catch (error) {
        // Once, however much else is written meanwhile.
        if (last === String(error)) return;
        last = String(error);
        onError(error);
      }
    },
    onError,
    quietMs,
  });
}

/** Whether what is missing can come to be there: every folder is, be it named or that of a file that is named. */
function mayCome(paths: readonly string[], { templatesDir, journalPath }: CheckOptions): boolean {
  const folders = paths.map((path) => (path.endsWith(".md") && !isFolder(path) ? dirname(path) : path));
  if (templatesDir !== undefined) folders.push(templatesDir);
  if (journalPath !== undefined) folders.push(dirname(journalPath));
  return folders.every(isFolder);
}

/** The given paths, and the templates and configuration that belong to them, also where they are not there yet. */
function foldersOf(paths: readonly string[], { templatesDir, journalPath }: CheckOptions): string[] {
  const named = [templatesDir, journalPath].filter((path) => path !== undefined);
  const beside = findRoots(paths).flatMap((root) => [
    ...(templatesDir === undefined ? [configPlaces(root).templatesDir] : []),
    ...(journalPath === undefined ? [configPlaces(root).journalPath] : []),
  ]);
  return [...new Set([...paths, ...named, ...beside])];
}

function isIrrelevant(path: string, stats?: { isFile: () => boolean }): boolean {
  if (!isListed(basename(path))) return true;
  return stats?.isFile() === true && !/(?:\.md|journal\.json)$/.test(path);
}

function isSame(a: CheckResult, b: CheckResult): boolean {
  if (a.sources.size !== b.sources.size || !isDeepStrictEqual(a.findings, b.findings)) return false;
  for (const [file, text] of a.sources) if (b.sources.get(file) !== text) return false;
  return true;
}
