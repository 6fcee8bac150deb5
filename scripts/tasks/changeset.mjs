import { root } from "../root.mjs";
import { packageCommand, runCommand } from "../run-command.mjs";
import { pendingChangesets, versionedPackages, explainIdleVersion } from "../verify-version-step.mjs";

/**
 * Runs changesets. `changeset version` fails when changesets were pending and no package got a new version.
 *
 * @param {string[]} args
 */
export async function runChangeset(args) {
  const pending = pendingChangesets(root);
  const before = versionedPackages(root);
  const { code } = await runCommand(packageCommand("@changesets/cli", args, "changeset"));
  if (code !== 0 || args[0] !== "version") return code;
  const problem = explainIdleVersion(pending, before, versionedPackages(root));
  if (problem === undefined) return 0;
  console.error(problem);
  return 1;
}
