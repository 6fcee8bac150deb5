import { packageCommand, runCommand } from "../run-command.mjs";

/**
 * Formats the repository, or the files that are named.
 *
 * @param {string[]} args
 */
export async function runFormat(args) {
  const files = args.length > 0 ? args : ["."];
  return (await runCommand(packageCommand("prettier", ["--write", "--list-different", ...files]))).code;
}
