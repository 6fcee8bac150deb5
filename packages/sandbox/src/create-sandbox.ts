import { describeHost, type Host } from "./describe-host.ts";
import { resolveLimits, type Limits } from "./limits.ts";
import type { ScriptRun } from "./script-run.ts";
import { startScriptThread, type ScriptThread, type Task } from "./script-thread.ts";

/** One script and what it is handed. */
export interface ScriptRequest {
  /** TypeScript or JavaScript, as the model wrote it. */
  code: string;
  /** `true`: the body of an async function of `host`; `false`: the whole function. */
  wrap: boolean;
  /** The only thing besides the language that the script sees. Default: empty. */
  host?: Host | undefined;
  /** Limits for this script, over those of the sandbox. */
  limits?: Partial<Limits> | undefined;
  /** Ends the script when it is aborted. */
  signal?: AbortSignal | undefined;
}

/** Where scripts run. */
export interface Sandbox {
  /**
   * Runs a script and resolves with how it ended; a script can make it neither reject nor hang.
   *
   * Rejects with InvalidHostError or InvalidLimitError when the request itself is wrong.
   */
  run: (request: ScriptRequest) => Promise<ScriptRun>;
  /** Ends every script and thread. What is run afterwards fails without having started. */
  close: () => Promise<void>;
}

/** How a sandbox works. */
export interface SandboxOptions {
  /** Limits of scripts that set none of their own. */
  limits?: Partial<Limits> | undefined;
  /** Scripts at once, each in a worker thread of its own; others wait. Default: 4. */
  concurrency?: number | undefined;
}

/**
 * Creates a sandbox. Threads start when they are needed, are used again after scripts that kept their limits, and are
 * ended and replaced after all others. Every script has a JavaScript engine state of its own. An idle sandbox does not
 * keep the process alive; `close` frees its threads.
 *
 * @throws InvalidLimitError for a limit out of range.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  resolveLimits(options.limits);
  const concurrency = Math.max(1, options.concurrency ?? 4);
  const threads = new Set<ScriptThread>();
  const queue: Task[] = [];
  let runs = 0;
  let closed = false;

  function dispatch(): void {
    for (;;) {
      const idle = [...threads].find((thread) => thread.state() === "idle");
      const soonIdle = [...threads].filter((thread) => thread.state() === "freeing").length;
      if (!idle && (threads.size >= concurrency || queue.length <= soonIdle)) return;
      const task = queue.shift();
      if (!task) return;
      try {
        (idle ?? addThread()).start(task);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        task.resolve(notStarted(`No worker thread could be started: ${reason}`));
      }
    }
  }

  function addThread(): ScriptThread {
    const thread = startScriptThread((state) => {
      if (state === "gone") threads.delete(thread);
      dispatch();
    });
    threads.add(thread);
    return thread;
  }

  function enqueue(task: Task, signal: AbortSignal | undefined): void {
    const abort = (): void => {
      const at = queue.indexOf(task);
      if (at === -1) {
        task.cancel?.();
      } else {
        queue.splice(at, 1);
        task.resolve(notStarted("The script was cancelled"));
      }
    };
    const { resolve } = task;
    task.resolve = (run) => {
      signal?.removeEventListener("abort", abort);
      resolve(run);
    };
    signal?.addEventListener("abort", abort);
    queue.push(task);
    dispatch();
  }

  return {
    async run({ code, wrap, host = {}, signal, limits: given }) {
      const limits = resolveLimits({ ...options.limits, ...given });
      const described = describeHost(host);
      if (closed) return notStarted("The sandbox is closed");
      if (signal?.aborted) return notStarted("The script was cancelled");
      if (code.length > limits.codeCharacters) {
        return notStarted(
          `The code has ${code.length} characters; at most ${limits.codeCharacters} are allowed`,
        );
      }
      return new Promise((resolve) => {
        enqueue({ run: ++runs, code, wrap, host: described, limits, resolve }, signal);
      });
    },
    async close() {
      closed = true;
      for (const task of queue.splice(0)) task.resolve(notStarted("The sandbox was closed"));
      await Promise.all([...threads].map((thread) => thread.stop("The sandbox was closed")));
    },
  };
}

function notStarted(error: string): ScriptRun {
  return { settlement: { status: "failed", error, started: false }, logs: [], omittedLogLines: 0 };
}
