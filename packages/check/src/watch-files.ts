import { PathsWatcher } from "./paths-watcher.ts";

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
  readonly ignored?: ((path: string, stats?: { isFile: () => boolean }) => boolean) | undefined;
  /** How long files must be quiet, in milliseconds. */
  readonly quietMs?: number | undefined;
}

/**
 * Watches files and folders, which need not be there yet, and may go and come back. Links are followed, but not in a
 * circle. Calls never overlap.
 *
 * @returns when `signal` is aborted and the last call has ended
 */
export async function watchFiles(paths: readonly string[], options: WatchFilesOptions): Promise<void> {
  const { signal, onChange, onError, quietMs = 100 } = options;
  if (signal.aborted) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let changing: Promise<void> = Promise.resolve();
  const schedule = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      changing = changing.then(change);
    }, quietMs);
  };
  const watcher = new PathsWatcher(paths, { ...options, onEvent: schedule });
  const change = async (): Promise<void> => {
    try {
      // First, so that what is written while `onChange` reads is seen.
      if (!signal.aborted) await watcher.renew();
      await onChange();
    } catch (error) {
      onError(error);
    }
  };
  await watcher.renew();
  await new Promise<void>((end) => {
    signal.addEventListener(
      "abort",
      () => {
        end();
      },
      { once: true },
    );
  });
  clearTimeout(timer);
  await changing;
  await watcher.close();
}
