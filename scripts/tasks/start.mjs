import { join } from "node:path";
import { buildPackages } from "../build-packages.mjs";
import { root } from "../root.mjs";
import { runCommand } from "../run-command.mjs";

/**
 * Builds what the command needs, quietly unless that fails, and runs `promptfold demo`.
 *
 * @param {string[]} args for the demo
 */
export async function runStart(args) {
  console.error("Building what the demo needs; the first time takes a moment …");
  const code = await buildPackages("promptfold");
  if (code !== 0) return code;
  const command = join(root, "apps", "cli", "bin", "promptfold.js");
  return (await runCommand({ command: process.execPath, args: [command, "demo", ...args] })).code;
}
