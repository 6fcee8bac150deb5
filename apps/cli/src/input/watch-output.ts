import { watchFiles } from "@promptfold/check";
import { reportError } from "../report-error.ts";
import { colorsFor } from "../terminal/colors.ts";
import { onInterrupt } from "../terminal/on-interrupt.ts";
import { say } from "../terminal/write-out.ts";

/** How to make something, and how to show it. */
export interface WatchOutputOptions<Output> {
  /** Makes it from the sources; what it throws is told, and the watch goes on. */
  readonly make: () => Promise<Output>;
  readonly show: (output: Output) => Promise<void>;
}

/**
 * Makes and shows something, and again whenever it turns out differently after its sources were written, until the process
 * is interrupted. Sources that are written without a change show nothing, so an output among them starts no circle.
 *
 * @returns the exit code of the last attempt
 */
export async function watchOutput<Output>(
  sources: readonly string[],
  { make, show }: WatchOutputOptions<Output>,
): Promise<number> {
  const controller = new AbortController();
  const stop = onInterrupt(() => {
    controller.abort();
  });
  let exitCode = 0;
  let last: string | undefined;
  const attempt = async (): Promise<void> => {
    const { outcome, showIt } = await makeOutcome(make, show);
    if (outcome === last) return;
    if (last !== undefined) say(colorsFor(process.stderr).dim("── changed ──"));
    last = outcome;
    exitCode = await showIt();
    say(colorsFor(process.stderr).dim("watching for changes; Ctrl-C ends it"));
  };
  try {
    await attempt();
    await watchFiles(sources, { signal: controller.signal, onChange: attempt, onError: tell });
  } finally {
    stop();
  }
  return exitCode;
}

/** What was made or why not, as a text to compare, and how to show it. */
async function makeOutcome<Output>(
  make: () => Promise<Output>,
  show: (output: Output) => Promise<void>,
): Promise<{ readonly outcome: string; readonly showIt: () => Promise<number> }> {
  try {
    const output = await make();
    const showIt = async (): Promise<number> => {
      await show(output);
      return 0;
    };
    return { outcome: JSON.stringify(output), showIt };
  } catch (error) {
    return { outcome: String(error), showIt: () => Promise.resolve(tell(error)) };
  }
}

function tell(error: unknown): number {
  return reportError(error, { isDebugging: false, command: undefined });
}
