import { packageCommand, runCommand } from "../run-command.mjs";

/** @param {string} task */
const runInEveryPackage = (task) => async (/** @type {string[]} */ args) =>
  (await runCommand(packageCommand("turbo", ["run", task, ...args]))).code;

export const runBuild = runInEveryPackage("build");
export const runTypecheck = runInEveryPackage("typecheck");
export const runLint = runInEveryPackage("lint");
export const runCheck = runInEveryPackage("check");
