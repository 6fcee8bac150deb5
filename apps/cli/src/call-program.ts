import { createProgram, isCommand } from "./create-program.ts";
import type { Outcome } from "./outcome.ts";
import { reportError } from "./report-error.ts";

/** Runs the command with the arguments after its name; resolves to the exit code and never rejects. */
export async function callProgram(argv: readonly string[]): Promise<number> {
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
