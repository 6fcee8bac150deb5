import { formatDuration } from "@promptfold/codemode";
import type { ScriptSettlement } from "@promptfold/contract";
import type { DescribedHost } from "./describe-host.ts";
import type { Limits } from "./limits.ts";
import type { LogLevel, ScriptEnd } from "./messages.ts";
import { readJson } from "./read-json.ts";
import type { LogLine, ScriptRun } from "./script-run.ts";

/** A script on its way through a thread. */
export interface Task {
  /** A number that no other task has. */
  run: number;
  code: string;
  wrap: boolean;
  host: DescribedHost;
  limits: Limits;
  resolve: (run: ScriptRun) => void;
  /** Set while a thread has the script: ends both. */
  cancel?: () => void;
}

/** A task that a thread works on, with what is known of it so far. */
export class ActiveTask {
  readonly task: Task;
  /** Whether the script runs, so that it may have done something. */
  hasStarted = false;
  omittedLogLines = 0;
  /** Host calls under way: number and path. */
  readonly waiting: Map<number, string> = new Map<number, string>();
  readonly #logs: LogLine[] = [];
  #isSettled = false;

  constructor(task: Task) {
    this.task = task;
  }

  log(level: LogLevel, text: string): void {
    this.#logs.push({ level, text: readText(text) });
  }

  /** Settles the task with how the script ended; only the first settlement counts. */
  end(end: ScriptEnd): void {
    this.settle(this.#settlementOf(end));
  }

  /** Settles the task as failed from outside of the script. */
  fail(error: string): void {
    this.settle({ status: "failed", error, started: this.hasStarted });
  }

  settle(settlement: ScriptSettlement): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    delete this.task.cancel;
    this.task.resolve({ settlement, logs: this.#logs, omittedLogLines: this.omittedLogLines });
  }

  #settlementOf(end: ScriptEnd): ScriptSettlement {
    switch (end.kind) {
      case "returned":
        return readResult(end.text);
      case "refused":
        return { status: "failed", error: end.error, started: false };
      case "threw":
        return { status: "failed", error: end.error, started: true };
      case "out-of-time":
        return { status: "failed", error: this.#describeTimeout(), started: true };
      case "stuck": {
        const error =
          "The script did not finish: it awaits a promise that nothing will settle, for no host call and no timer is left";
        return { status: "failed", error, started: true };
      }
    }
  }

  #describeTimeout(): string {
    const paths = [...new Set(this.waiting.values())].slice(0, 5).join(", ");
    const waited = paths === "" ? "" : `. It was waiting for ${paths}, which may still take effect`;
    const limit = formatDuration(this.task.limits.timeoutMs);
    return `The script did not finish within its limit of ${limit}${waited}`;
  }
}

function readResult(text: string | undefined): ScriptSettlement {
  if (text === undefined) return { status: "succeeded" };
  try {
    return { status: "succeeded", result: readJson(text) };
  } catch {
    // Only a script that has replaced built-in functions gets here.
    return { status: "failed", error: "The script returned something that cannot be read", started: true };
  }
}

function readText(text: string): string {
  try {
    return String(readJson(text));
  } catch {
    return text;
  }
}
