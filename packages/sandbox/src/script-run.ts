import type { ScriptSettlement } from "@promptfold/contract";
import type { LogLevel } from "./messages.ts";

/** One line that a script wrote to its console. */
export interface LogLine {
  level: LogLevel;
  text: string;
}

/** How a script ended. */
export interface ScriptRun {
  /** JSON data, ready for an event: no `result` means that nothing was returned. */
  settlement: ScriptSettlement;
  /** Console output up to the limit. */
  logs: LogLine[];
  /** Lines beyond the limit that were not kept; of a script stopped from outside, rounded down. */
  omittedLogLines: number;
}

/** What became of a script of which nothing ran. */
export function failedBeforeStart(error: string): ScriptRun {
  return { settlement: { status: "failed", error, started: false }, logs: [], omittedLogLines: 0 };
}
