import { chooseAffectedBase } from "../choose-affected-base.mjs";
import { root } from "../root.mjs";
import { packageCommand, runCommand } from "../run-command.mjs";

/**
 * Runs every task of the packages that a change touches, and of those that depend on them.
 *
 * @param {string[]} args for turbo
 */
export async function runAffected(args) {
  const { base, explanation } = await chooseAffectedBase(root, process.env["TURBO_SCM_BASE"]);
  console.log(explanation);
  const tasks = [
    "run",
    "build",
    "typecheck",
    "lint",
    "test",
    "check",
    "--continue=dependencies-successful",
    "--output-logs=errors-only",
  ];
  const scope = base === undefined ? [] : ["--affected"];
  const env = base === undefined ? {} : { TURBO_SCM_BASE: base };
  return (await runCommand(packageCommand("turbo", [...tasks, ...scope, ...args]), { env })).code;
}
