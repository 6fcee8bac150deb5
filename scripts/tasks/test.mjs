import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countTests } from "../count-tests.mjs";
import { countSteps, reportSteps } from "../report-steps.mjs";
import { packageCommand, runCommand } from "../run-command.mjs";
import { turboSteps } from "../turbo-steps.mjs";

/** @typedef {import("../report-steps.mjs").Step} Step */

/**
 * Everything that CI runs. A step that fails does not stop the others, except that without a build only those run that need
 * none. The last line printed is `N passed, N failed, N skipped`: the tests, plus one for every other step.
 *
 * @param {string[]} args for vitest
 */
export async function runTest(args) {
  const inPackages = await runInPackages(["build", "typecheck", "check"]);
  const built = inPackages[0]?.outcome === "passed";
  // One run of the linter over everything reads the types once; package by package it costs twice as much. It keeps one core
  // busy, and tests often wait for others: side by side they finish sooner.
  const [lint, format, knip, tests] = await Promise.all([
    runStep("lint", packageCommand("eslint", ["."]), built),
    runStep("format", packageCommand("prettier", ["--check", "--cache", "."])),
    runStep("knip", packageCommand("knip", ["--no-progress"])),
    runTests(args, built),
  ]);
  const steps = [...inPackages, lint, format, knip, tests];
  console.log();
  for (const line of reportSteps(steps)) console.log(line);
  return countSteps(steps).failed === 0 ? 0 : 1;
}

/**
 * Runs kinds of tasks in every package at once, as far as their order allows.
 *
 * @param {string[]} kinds
 * @returns {Promise<Step[]>}
 */
async function runInPackages(kinds) {
  console.log(`${kinds.join(", ")} …`);
  const options = ["--continue=dependencies-successful", "--summarize", "--output-logs=errors-only"];
  const { code, output } = await runCommand(packageCommand("turbo", ["run", ...kinds, ...options]), {
    quiet: true,
  });
  if (code !== 0) console.log(output);
  const summary = /^\s*Summary:\s+(.+\.json)\s*$/m.exec(output)?.[1];
  if (summary === undefined || !existsSync(summary)) return turboSteps(kinds, undefined, code);
  const json = readFileSync(summary, "utf8");
  rmSync(summary);
  return turboSteps(kinds, json, code);
}

/**
 * Runs one command, and prints what it printed if it fails.
 *
 * @param {string} name
 * @param {import("../run-command.mjs").Invocation} command
 * @param {boolean} [possible] whether what it needs is there
 * @returns {Promise<Step>}
 */
async function runStep(name, command, possible = true) {
  if (!possible) return { name, outcome: "skipped", note: "not run" };
  console.log(`${name} …`);
  const start = process.hrtime.bigint();
  const { code, output } = await runCommand(command, { quiet: true });
  if (code !== 0) console.log(`${output}\n${name} failed with exit code ${code}.\n`);
  return { name, outcome: code === 0 ? "passed" : "failed", note: secondsSince(start) };
}

/**
 * @param {string[]} args
 * @param {boolean} built
 * @returns {Promise<Step>}
 */
async function runTests(args, built) {
  const name = "tests";
  if (!built) return { name, outcome: "skipped", note: "not run" };
  const folder = mkdtempSync(join(tmpdir(), "promptfold-tests-"));
  const report = join(folder, "report.json");
  const start = process.hrtime.bigint();
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const { code } = await runCommand(packageCommand("vitest", ["run", ...reporters, ...args]));
    const tests = countTests(existsSync(report) ? readFileSync(report, "utf8") : undefined, code);
    return { name, outcome: tests.failed === 0 ? "passed" : "failed", note: secondsSince(start), tests };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {bigint} start */
function secondsSince(start) {
  return `${(Number(process.hrtime.bigint() - start) / 1e9).toFixed(1)} s`;
}
