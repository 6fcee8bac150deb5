import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { root } from "./root.mjs";

/**
 * @typedef {object} Outcome
 * @property {number} code the exit code; 1 when the program could not be started, 128 + n when signal n ended it
 * @property {string} output what the program printed, when it was captured
 */

/** @typedef {{ command: string, args: string[], shell?: boolean }} Invocation */

/**
 * Puts `node_modules/.bin` first on PATH, since turbo calls pnpm by its name, keeps turbo's telemetry off, and names this Node,
 * so that a result from turbo's cache is one of the same Node version.
 *
 * @param {string} root
 */
export function useLocalBins(root) {
  const path = Object.keys(process.env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  process.env[path] = [join(root, "node_modules", ".bin"), process.env[path]].filter(Boolean).join(delimiter);
  process.env["TURBO_TELEMETRY_DISABLED"] = "1";
  process.env["PROMPTFOLD_NODE"] = process.version;
}

/**
 * The command of an installed package, run by this very Node: the same on every platform, without a shell.
 *
 * @param {string} packageName
 * @param {string[]} args
 * @param {string} [binName] when the package has a command of another name
 * @returns {Invocation}
 */
export function packageCommand(packageName, args, binName = packageName) {
  const folder = join(root, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = typeof bin === "string" ? bin : bin[binName];
  return { command: process.execPath, args: [join(folder, file), ...args] };
}

/**
 * npx, as the JavaScript file beside the npm that started this process where that is known.
 *
 * @param {string[]} args
 * @returns {Invocation}
 */
export function npxCommand(args) {
  const npm = process.env["npm_execpath"];
  if (npm !== undefined && basename(npm) === "npm-cli.js") {
    const npx = join(dirname(npm), "npx-cli.js");
    if (existsSync(npx)) return { command: process.execPath, args: [npx, ...args] };
  }
  return { command: "npx", args, shell: process.platform === "win32" };
}

/**
 * Runs a program in the repository. With `quiet` its output is kept instead of printed.
 *
 * @param {Invocation} invocation
 * @param {{ quiet?: boolean, cwd?: string, env?: Record<string, string> }} [options]
 * @returns {Promise<Outcome>}
 */
export function runCommand(invocation, { quiet = false, cwd = root, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(invocation.command, invocation.args, {
      cwd,
      env: { ...process.env, ...env },
      shell: invocation.shell ?? false,
      stdio: quiet ? ["ignore", "pipe", "pipe"] : "inherit",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text) => (output += text));
    }
    child.on("error", (error) => resolve({ code: 1, output: `${output}${error.message}\n` }));
    child.on("close", (code, signal) => resolve({ code: code ?? signalCode(signal), output }));
  });
}

/** @param {NodeJS.Signals | null} signal */
function signalCode(signal) {
  const numbers = /** @type {Record<string, number>} */ ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 });
  return 128 + (numbers[signal ?? ""] ?? 0);
}
