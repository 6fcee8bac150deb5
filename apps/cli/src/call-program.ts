import type { Command } from "commander";
import { createProgram } from "./create-program.ts";
import type { Outcome } from "./outcome.ts";
import { reportError } from "./report-error.ts";

/** Runs the command with the arguments after its name; resolves to the exit code and never rejects. */
export async function callProgram(argv: readonly string[]): Promise<number> {
  const outcome: Outcome = { exitCode: 0 };
  let program: Command | undefined;
  try {
    program = await createProgram(argv, outcome);
    await program.parseAsync(argv, { from: "user" });
    return outcome.exitCode;
  } catch (error) {
    return reportError(error, {
      isDebugging: argv.includes("--debug"),
      command: calledCommand(program, argv),
    });
  }
}

/** The whole name of the subcommand that was called, such as `journal snapshot`, when there is such a one. */
function calledCommand(program: Command | undefined, argv: readonly string[]): string | undefined {
  const names: string[] = [];
  let at = program;
  for (const word of argv) {
    at = at?.commands.find((command) => command.name() === word);
    if (at === undefined) break;
    names.push(word);
  }
  return names.length === 0 ? undefined : names.join(" ");
}
