import { root } from "../root.mjs";
import { packageCommand, runCommand } from "../run-command.mjs";
import { explainIdleVersion, pendingChangesets, versionedPackages } from "../verify-version-step.mjs";

/**
 * Runs changesets. `changeset version` fails when changesets were pending and no package got a new version.
 *
 * @param {string[]} args
 * @param {string} [folder] the repository
 */
export async function runChangeset(args, folder = root) {
  const pending = pendingChangesets(folder);
  const before = versionedPackages(folder);
  const { code } = await runCommand(packageCommand("@changesets/cli", args, "changeset"), { cwd: folder });
  if (code !== 0 || args[0] !== "version") return code;
  const problem = explainIdleVersion(pending, before, versionedPackages(folder));
  if (problem === undefined) return 0;
  console.error(problem);
  return 1;
}
