/**
 * The way into every root npm script: `node scripts/run.mjs <task> [arguments…]`.
 *
 * It needs nothing but Node and npm. It checks the Node version, installs the dependencies when they are not those of the
 * lockfile, and hands over to the task. It exits with the task's exit code.
 */
import { runAffected } from "./tasks/affected.mjs";
import { runBench } from "./tasks/bench.mjs";
import { runBuild, runCheck, runLint, runTypecheck } from "./tasks/turbo-task.mjs";
import { runChangeset } from "./tasks/changeset.mjs";
import { runFormat } from "./tasks/format.mjs";
import { runLaws } from "./tasks/laws.mjs";
import { runStart } from "./tasks/start.mjs";
import { runTest } from "./tasks/test.mjs";
import { runTorture } from "./tasks/torture.mjs";
import { explainOldNode } from "./explain-old-node.mjs";
import { installWhenChanged } from "./install-when-changed.mjs";
import { countsLine } from "./report-steps.mjs";
import { root } from "./root.mjs";
import { useLocalBins } from "./run-command.mjs";

/** @type {Record<string, (args: string[]) => Promise<number>>} */
const tasks = {
  start: runStart,
  test: runTest,
  build: runBuild,
  typecheck: runTypecheck,
  lint: runLint,
  check: runCheck,
  affected: runAffected,
  format: runFormat,
  changeset: runChangeset,
  bench: runBench,
  laws: runLaws,
  torture: runTorture,
};

/**
 * @param {string | undefined} name
 * @param {string[]} args
 */
async function main(name, args) {
  const task = name !== undefined && Object.hasOwn(tasks, name) ? tasks[name] : undefined;
  if (!task) {
    console.error(`There is no task "${name ?? ""}". Tasks: ${Object.keys(tasks).join(", ")}.`);
    return 2;
  }
  const problem = explainOldNode(process.version) ?? (await installWhenChanged(root));
  if (problem !== undefined) {
    console.error(problem);
    if (name === "test") console.log(countsLine({ passed: 0, failed: 1, skipped: 0 }));
    return 1;
  }
  useLocalBins(root);
  return task(args);
}

process.exitCode = await main(process.argv[2], process.argv.slice(3));
