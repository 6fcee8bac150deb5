import { Worker } from "node:worker_threads";
import type { FromWorker, ToWorker } from "./messages.ts";

/** A worker thread as the main thread sees it. */
export interface ScriptWorker {
  post: (message: ToWorker) => void;
  /** Ends the thread, whatever it does. */
  terminate: () => Promise<void>;
  /** Whether the thread keeps the process alive. */
  hold: (alive: boolean) => void;
}

/** What a worker thread tells. */
export interface WorkerListener {
  message: (message: FromWorker) => void;
  /** The thread is gone without having been terminated. */
  lost: (reason: string) => void;
}

/** Starts a worker thread with nothing of this process: no environment, arguments, or streams. */
export function startScriptWorker(listener: WorkerListener): ScriptWorker {
  const worker = new Worker(new URL("./worker.js", import.meta.url), {
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb: 16, maxOldGenerationSizeMb: 512 },
  });
  let terminated = false;
  let problem = "its thread ended";
  // Its streams are not read: reading would keep the process alive, and only a failing module prints a line.
  worker.unref();
  worker.on("message", (message: FromWorker) => {
    if (!terminated) listener.message(message);
  });
  worker.on("error", (error: unknown) => {
    problem = error instanceof Error ? error.message : String(error);
  });
  worker.on("exit", () => {
    if (!terminated) listener.lost(problem);
  });
  return {
    post(message) {
      worker.postMessage(message);
    },
    async terminate() {
      terminated = true;
      await worker.terminate();
    },
    hold(alive) {
      if (alive) worker.ref();
      else worker.unref();
    },
  };
}
