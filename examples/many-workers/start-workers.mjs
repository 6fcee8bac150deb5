import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("worker.mjs", import.meta.url));

/** @typedef {{ name: string, process: import("node:child_process").ChildProcess, exited: Promise<unknown> }} Worker */

/**
 * Starts worker processes and waits until all are ready.
 *
 * @param {string} url the journal's
 * @param {{ count: number, latencyMs: number }} options
 * @returns {Promise<Worker[]>}
 */
export async function startWorkers(url, { count, latencyMs }) {
  const workers = Array.from({ length: count }, (_, index) => {
    const name = `worker-${index + 1}`;
    const child = spawn(process.execPath, [program, url, name, String(latencyMs)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    return { name, process: child, ready: once(child.stdout, "data"), exited: once(child, "exit") };
  });
  await Promise.all(
    workers.map(({ name, ready, exited }) =>
      Promise.race([
        ready,
        exited.then(() => {
          throw new Error(`${name} ended before it was ready`);
        }),
      ]),
    ),
  );
  return workers.map(({ name, process, exited }) => ({ name, process, exited }));
}

/**
 * Ends workers with a signal: SIGTERM lets them finish what they append, SIGKILL is a crash.
 *
 * @param {readonly Worker[]} workers
 * @param {"SIGTERM" | "SIGKILL"} signal
 */
export async function endWorkers(workers, signal) {
  for (const worker of workers) worker.process.kill(signal);
  await Promise.all(workers.map(({ exited }) => exited));
}
