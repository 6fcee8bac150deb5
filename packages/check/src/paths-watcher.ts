import { type FSWatcher as FolderWatcher, statSync, watch as watchFolder } from "node:fs";
import { basename, dirname, resolve, sep } from "node:path";
import { leadsInCircle } from "@promptfold/templating/node";
import { type FSWatcher, watch } from "chokidar";
import { explainWatchFault } from "./explain-watch-fault.ts";
import { findLinks, linksOnTheWay } from "./find-links.ts";

/** What a {@link PathsWatcher} tells whom, and what it leaves alone. */
export interface PathsWatcherOptions {
  /** Is called for each thing that happens at the paths, and when the watch of them has begun anew. */
  readonly onEvent: () => void;
  readonly onError: (error: unknown) => void;
  readonly ignored?: ((path: string, stats?: { isFile: () => boolean }) => boolean) | undefined;
}

/**
 * Watches paths that may go and come back. What is there is watched with everything in it; the folders around it are watched
 * for its name alone, so that its return is seen, however much else happens in them. The same holds for what every link
 * leads to, on the way to a path and inside it.
 */
export class PathsWatcher {
  readonly #paths: readonly string[];
  readonly #options: PathsWatcherOptions;
  #watcher: FSWatcher | undefined;
  #folders: FolderWatcher[] = [];
  /** What stood at the paths and around them when the watch of them began. */
  #standing = "";

  constructor(paths: readonly string[], options: PathsWatcherOptions) {
    this.#paths = [...new Set(paths.map((path) => resolve(path)))];
    this.#options = options;
  }

  /** Begins the watch, or begins it anew when something else stands at the paths or around them than when it began. */
  async renew(): Promise<void> {
    const { ignored = () => false } = this.#options;
    const paths = [...new Set(this.#paths.flatMap((path) => [path, ...linksOnTheWay(path)]))];
    const links = this.#paths.flatMap((path) => findLinks(path, ignored)).flatMap(linksOnTheWay);
    const named = [...new Set([...paths, ...links])];
    const folders = foldersAround(named);
    const standing = JSON.stringify([...named, ...folders.keys()].map((path) => [path, identity(path)]));
    if (standing === this.#standing) return;
    await this.close();
    this.#standing = standing;
    for (const [folder, names] of folders) this.#watchNames(folder, names);
    const present = paths.filter((path) => identity(path) !== undefined);
    if (present.length === 0) this.#options.onEvent();
    else this.#watch(present);
  }

  async close(): Promise<void> {
    for (const folder of this.#folders) folder.close();
    this.#folders = [];
    await this.#watcher?.close();
    this.#watcher = undefined;
  }

  #watch(paths: readonly string[]): void {
    const { onEvent, ignored = () => false } = this.#options;
    const named = new Set(paths);
    this.#watcher = watch([...paths], {
      ignoreInitial: true,
      // What a link leads to is waited for, whatever it is called.
      ignored: (path, stats) =>
        (!named.has(path) && ignored(path, stats)) || (stats?.isFile() !== true && leadsInCircle(path)),
    });
    this.#watcher.on("all", (event) => {
      // A folder that comes back at once is taken for the one that went away, and nothing more is seen of it.
      if (event === "unlink" || event === "unlinkDir" || event === "addDir") this.#standing = "";
      onEvent();
    });
    this.#watcher.on("ready", onEvent);
    this.#watcher.on("error", this.#fail);
  }

  #watchNames(folder: string, names: ReadonlySet<string>): void {
    const { onEvent } = this.#options;
    try {
      const watcher = watchFolder(folder, (_, name) => {
        // A folder that goes away names itself, or nothing.
        if (name === null || names.has(name) || name === basename(folder)) onEvent();
      });
      watcher.on("error", onEvent);
      this.#folders.push(watcher);
    } catch (error) {
      this.#fail(error);
    }
  }

  readonly #fail = (error: unknown): void => {
    const { code } = error as { readonly code?: unknown };
    // What went away meanwhile is an event; a folder around that nobody may read hides only the return of what is in it.
    if (code === "ENOENT") this.#options.onEvent();
    else if (code !== "EACCES" && code !== "EPERM") this.#options.onError(explainWatchFault(error));
  };
}

/** The nearest folder around each path that is there, and those around it in the current folder: each with the names to wait for. */
function foldersAround(paths: readonly string[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  const here = process.cwd();
  for (const path of paths) {
    let isFound = false;
    for (let at = path, above = dirname(at); at !== above; at = above, above = dirname(at)) {
      if (identity(above) === undefined) continue;
      if (isFound && above !== here && !above.startsWith(here + sep)) break;
      folders.set(above, (folders.get(above) ?? new Set<string>()).add(basename(at)));
      isFound = true;
    }
  }
  return folders;
}

/** What tells a file or folder from another one at the same path; undefined when nothing is there that can be looked at. */
function identity(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
  } catch {
    // Why it cannot be is for whoever reads it to tell.
    return undefined;
  }
}
