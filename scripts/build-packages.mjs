import { packageCommand, runCommand } from "./run-command.mjs";

/**
 * Builds what a task is about to run, silently unless it fails.
 *
 * @param {string} [filter] one package and what it imports; everything unless given
 * @returns {Promise<number>} the exit code
 */
export async function buildPackages(filter) {
  const filters = filter === undefined ? [] : [`--filter=${filter}`];
  const build = packageCommand("turbo", ["run", "build", ...filters, "--output-logs=errors-only"]);
  const { code, output } = await runCommand(build, { quiet: true });
  if (code !== 0) console.error(`${output}\nThe build failed; see above.`);
  return code;
}
