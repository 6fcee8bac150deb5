/** A line at the terminal that says how far long work has come. */
export interface ProgressLine {
  /** Shows a text in place of the one before; at most ten times a second. */
  show(text: string): void;
  /** Removes the line; more than once does nothing. */
  end(): void;
}

const INTERVAL_MS = 100;

/** A progress line on standard error; none where that is no terminal. */
export function progressLine(): ProgressLine {
  let shownAt = -Infinity;
  let isShown = false;
  return {
    show(text) {
      const now = performance.now();
      if (!process.stderr.isTTY || now - shownAt < INTERVAL_MS) return;
      shownAt = now;
      isShown = true;
      process.stderr.write(`\r\u001b[K${text}`);
    },
    end() {
      if (isShown) process.stderr.write("\r\u001b[K");
      isShown = false;
    },
  };
}
