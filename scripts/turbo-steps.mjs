/** @typedef {import("./report-steps.mjs").Step} Step */

/**
 * @typedef {object} TaskRun one entry of `tasks` in the summary that `turbo run --summarize` writes
 * @property {string} task such as `build`
 * @property {{ status: string }} [cache] `HIT` when the outcome was taken from the cache
 * @property {{ exitCode?: number }} [execution] absent when the task did not run
 */

/**
 * What became of each kind of task in a turbo run. A kind of which a task failed has failed. When the build failed, tasks that
 * need it did not run: a kind without a failure of its own was then not run in full and counts as skipped.
 *
 * @param {readonly string[]} kinds
 * @param {string | undefined} json the summary, or nothing when turbo wrote none: then the first kind has failed
 * @param {number} exitCode of turbo
 * @returns {Step[]} one for each kind
 */
export function turboSteps(kinds, json, exitCode) {
  if (json === undefined) {
    return kinds.map((name, index) => ({
      name,
      outcome: index === 0 ? "failed" : "skipped",
      note: index === 0 ? `turbo exited with ${exitCode}` : "not run",
    }));
  }
  const tasks = /** @type {TaskRun[]} */ (JSON.parse(json).tasks);
  /** @param {TaskRun} task */
  const failed = ({ execution }) => execution?.exitCode !== undefined && execution.exitCode !== 0;
  const buildFailed = tasks.some((run) => run.task === "build" && failed(run));

  return kinds.map((name) => {
    const runs = tasks.filter((run) => run.task === name);
    const failures = runs.filter(failed).length;
    const cached = runs.filter(({ cache }) => cache?.status === "HIT").length;
    const packages = `${runs.length} ${runs.length === 1 ? "package" : "packages"}`;
    if (failures > 0) return { name, outcome: "failed", note: `in ${failures} of ${packages}` };
    if (buildFailed) return { name, outcome: "skipped", note: "not run in full" };
    return { name, outcome: "passed", note: cached > 0 ? `${packages}, ${cached} from the cache` : packages };
  });
}
