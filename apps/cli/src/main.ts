import { createProgram, isCommand } from "./create-program.ts";
import type { Outcome } from "./outcome.ts";
import { reportError } from "./report-error.ts";
import { endWhenNobodyReads } from "./terminal/write-out.ts";

/**
 * Runs the `promptfold` command. Takes the arguments after the command's name; resolves to the exit code: 0 done, 1 the
 * input is at fault, 2 the call is. Never rejects.
 */
export async function main(argv: readonly string[]): Promise<number> {
  endWhenNobodyReads();
  const outcome: Outcome = { exitCode: 0 };
  try {
    const program = await createProgram(argv, outcome);
    await program.parseAsync(argv, { from: "user" });
    return outcome.exitCode;
  } catch (error) {
    return reportError(error, {
      isDebugging: argv.includes("--debug"),
      command: isCommand(argv[0]) ? argv[0] : undefined,
    });
  }
}
