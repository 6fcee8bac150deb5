/** Calls back on the first Ctrl-C or termination; a second one ends the process at once. Returns how to stop listening. */
export function onInterrupt(callback: (signal: NodeJS.Signals) => void): () => void {
  const listener = (signal: NodeJS.Signals): void => {
    stop();
    callback(signal);
  };
  const stop = (): void => {
    process.off("SIGINT", listener);
    process.off("SIGTERM", listener);
  };
  process.on("SIGINT", listener);
  process.on("SIGTERM", listener);
  return stop;
}
