import { join } from "node:path";
import { root } from "../root.mjs";
import { packageCommand, runCommand } from "../run-command.mjs";

/**
 * Builds what the command needs, quietly unless that fails, and runs `promptfold demo`.
 *
 * @param {string[]} args for the demo
 */
export async function runStart(args) {
  console.error("Building what the demo needs; the first time takes a moment …");
  const build = packageCommand("turbo", ["run", "build", "--filter=promptfold", "--output-logs=errors-only"]);
  const { code, output } = await runCommand(build, { quiet: true });
  if (code !== 0) {
    console.error(`${output}\nThe build failed; see above.`);
    return code;
  }
  const command = join(root, "apps", "cli", "bin", "promptfold.js");
  return (await runCommand({ command: process.execPath, args: [command, "demo", ...args] })).code;
}
