import { watch } from "chokidar";

/** How to watch files. */
export interface WatchFilesOptions {
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /**
   * Is called when something was written and all was quiet since, and once when the watch begins, for what was written
   * until then. It reads anew and decides whether that is a change: a file may be written with the content it had. The
   * next call waits for it.
   */
  readonly onChange: () => void | Promise<void>;
  /** Gets what `onChange` throws and what goes wrong with the watch; the watch goes on. */
  readonly onError: (error: unknown) => void;
  /** Paths that nobody waits for, folders included. */
  readonly ignored?: (path: string, stats?: { isFile: () => boolean }) => boolean;
  /** How long files must be quiet, in milliseconds. */
  readonly quietMs?: number;
}

/**
 * Watches files and folders, which need not be there yet. Calls never overlap.
 *
 * @returns when `signal` is aborted and the last call has ended
 */
export async function watchFiles(paths: readonly string[], options: WatchFilesOptions): Promise<void> {
  const { signal, onChange, onError, ignored = () => false, quietMs = 100 } = options;
  if (signal.aborted) return;
  const watcher = watch([...paths], { ignoreInitial: true, ignored });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let changing: Promise<void> = Promise.resolve();
  const change = async (): Promise<void> => {
    try {
      await onChange();
    } catch (error) {
      onError(error);
    }
  };
  const schedule = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      changing = changing.then(change);
    }, quietMs);
  };
  watcher.on("all", schedule);
  watcher.on("ready", schedule);
  watcher.on("error", onError);
  await new Promise<void>((resolve) => {
    const end = (): void => {
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
  });
  clearTimeout(timer);
  await watcher.close();
  await changing;
}
