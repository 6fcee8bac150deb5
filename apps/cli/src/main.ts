import { callProgram } from "./call-program.ts";
import { endWhenNobodyReads } from "./terminal/write-out.ts";

/**
 * Runs the `promptfold` command. Takes the arguments after the command's name; resolves to the exit code: 0 done, 1 the
 * input is at fault, 2 the call is. Never rejects.
 */
export async function main(argv: readonly string[]): Promise<number> {
  endWhenNobodyReads();
  return callProgram(argv);
}
