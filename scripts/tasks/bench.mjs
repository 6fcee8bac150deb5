import { packageCommand, runCommand } from "../run-command.mjs";

/**
 * Builds everything, then runs every benchmark, one file after the other so that none disturbs another.
 *
 * @param {string[]} args for vitest, such as part of a file's name
 */
export async function runBench(args) {
  const build = packageCommand("turbo", ["run", "build", "--output-logs=errors-only"]);
  const { code, output } = await runCommand(build, { quiet: true });
  if (code !== 0) {
    console.error(`${output}\nThe build failed; see above.`);
    return code;
  }
  return (await runCommand(packageCommand("vitest", ["bench", "--run", "--no-file-parallelism", ...args])))
    .code;
}
