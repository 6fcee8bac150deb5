import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countTests } from "../count-tests.mjs";
import { countSteps, reportSteps } from "../report-steps.mjs";
import { packageCommand, runCommand } from "../run-command.mjs";

/** @typedef {import("../report-steps.mjs").Step} Step */

/** @param {string} task */
const turbo = (task) =>
  packageCommand("turbo", ["run", task, "--continue=dependencies-successful", "--output-logs=errors-only"]);

/**
 * Everything that CI runs. A step that fails does not stop the others, except that without a build only those run that need
 * none. The last line printed is `N passed, N failed, N skipped`: the tests, plus one for every other step.
 *
 * @param {string[]} args for vitest
 */
export async function runTest(args) {
  const build = await runStep("build", () => turbo("build"));
  const built = build.outcome === "passed";
  const steps = [
    build,
    await runStep("typecheck", () => turbo("typecheck"), built),
    await runStep("lint", () => turbo("lint"), built),
    await runStep("check", () => turbo("check"), built),
    await runStep("format", () => packageCommand("prettier", ["--check", "."])),
    await runStep("knip", () => packageCommand("knip", [])),
    await runTests(args, built),
  ];
  console.log();
  for (const line of reportSteps(steps)) console.log(line);
  return countSteps(steps).failed === 0 ? 0 : 1;
}

/**
 * Runs one command, and prints what it printed if it fails.
 *
 * @param {string} name
 * @param {() => import("../run-command.mjs").Invocation} command
 * @param {boolean} [possible] whether it makes sense to run it
 * @returns {Promise<Step>}
 */
async function runStep(name, command, possible = true) {
  if (!possible) return { name, outcome: "skipped", seconds: 0 };
  console.log(`${name} …`);
  const start = process.hrtime.bigint();
  const { code, output } = await runCommand(command(), { quiet: true });
  if (code !== 0) console.log(`${output}\n${name} failed with exit code ${code}.\n`);
  return { name, outcome: code === 0 ? "passed" : "failed", seconds: secondsSince(start) };
}

/**
 * @param {string[]} args
 * @param {boolean} built
 * @returns {Promise<Step>}
 */
async function runTests(args, built) {
  const name = "tests";
  if (!built) return { name, outcome: "skipped", seconds: 0 };
  const folder = mkdtempSync(join(tmpdir(), "promptfold-tests-"));
  const report = join(folder, "report.json");
  const start = process.hrtime.bigint();
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const { code } = await runCommand(packageCommand("vitest", ["run", ...reporters, ...args]));
    const tests = countTests(existsSync(report) ? readFileSync(report, "utf8") : undefined, code);
    return { name, outcome: tests.failed === 0 ? "passed" : "failed", seconds: secondsSince(start), tests };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {bigint} start */
function secondsSince(start) {
  return Number(process.hrtime.bigint() - start) / 1e9;
}
