import { describeHost, type Host } from "./describe-host.ts";
import { resolveLimits, type Limits } from "./limits.ts";
import { failedBeforeStart, type ScriptRun } from "./script-run.ts";
import { ThreadPool } from "./thread-pool.ts";

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
  const pool = new ThreadPool(Math.max(1, options.concurrency ?? 4));
  let runs = 0;
  let isClosed = false;
  return {
    async run({ code, wrap, host = {}, signal, limits: given }) {
      const limits = resolveLimits({ ...options.limits, ...given });
      const described = describeHost(host);
      if (isClosed) return failedBeforeStart("The sandbox is closed");
      if (signal?.aborted) return failedBeforeStart("The script was cancelled");
      if (code.length > limits.codeCharacters) {
        return failedBeforeStart(
          `The code has ${code.length} characters; at most ${limits.codeCharacters} are allowed`,
        );
      }
      return new Promise((resolve) => {
        pool.enqueue({ run: ++runs, code, wrap, host: described, limits, resolve }, signal);
      });
    },
    async close() {
      isClosed = true;
      await pool.stop("The sandbox was closed");
    },
  };
}
