import { printable, PromptfoldError } from "@promptfold/contract";
import { CommanderError } from "commander";
import { colorsFor } from "./terminal/colors.ts";
import { say } from "./terminal/write-out.ts";

/** What is known of the call that failed. */
export interface ReportErrorOptions {
  readonly isDebugging: boolean;
  /** The subcommand that was called, when there is such a one. */
  readonly command: string | undefined;
}

/** Errors of these codes are faults of the call, all others faults of the input. */
const callErrors: ReadonlySet<string> = new Set([
  "check-usage",
  "usage",
  "invalid-journal-url",
  "invalid-name",
  "invalid-option",
  "invalid-section-key",
  "unknown-mapping",
]);

/** Says what went wrong, one line for each fault, and returns the exit code. A stack trace only when debugging. */
export function reportError(error: unknown, { isDebugging, command }: ReportErrorOptions): number {
  if (error instanceof CommanderError) {
    // Help and version are no failures, but help that nobody asked for is.
    if (error.exitCode === 0) return 0;
    if (error.code !== "commander.help") sayFault(callFault(error, command));
    return 2;
  }
  if (isDebugging) say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  else if (PromptfoldError.isInstance(error)) error.message.split("\n").forEach(sayFault);
  else sayFault(`${error instanceof Error ? error.message : String(error)} (--debug shows where)`);
  return PromptfoldError.isInstance(error) && callErrors.has(error.code) ? 2 : 1;
}

function sayFault(text: string): void {
  say(`${colorsFor(process.stderr).red("error")} ${printable(text)}`);
}

function callFault({ message }: CommanderError, command: string | undefined): string {
  const text = message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " ");
  return `${text.replace(/\.$/, "")}; see promptfold ${command === undefined ? "" : `${command} `}--help`;
}
