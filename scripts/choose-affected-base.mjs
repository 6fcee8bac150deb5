import { runCommand } from "./run-command.mjs";

/**
 * Finds the commit that a change is compared with: the one asked for, else `origin/main`, else `main`. A base without a
 * history in common with HEAD (as in a shallow clone) cannot say what changed; then everything counts as changed.
 *
 * @param {string} root
 * @param {string | undefined} wanted a commit, branch or tag
 * @returns {Promise<{ base: string | undefined, explanation: string }>} without a base, everything is to be run
 */
export async function chooseAffectedBase(root, wanted) {
  const candidates = wanted ? [wanted] : ["origin/main", "main"];
  for (const candidate of candidates) {
    if (!(await git(root, ["rev-parse", "--verify", "--quiet", `${candidate}^{commit}`]))) continue;
    const ancestor = await git(root, ["merge-base", candidate, "HEAD"]);
    if (!ancestor) {
      return everything(`${candidate} and HEAD have no common ancestor here (a shallow clone?)`);
    }
    const explanation = `Comparing with ${candidate} (common ancestor ${ancestor.slice(0, 12)}), uncommitted changes included.`;
    return { base: ancestor, explanation };
  }
  return everything(`there is no ${candidates.join(" and no ")} here`);
}

/** @param {string} reason */
function everything(reason) {
  return {
    base: undefined,
    explanation: `Running everything, since ${reason}. Set TURBO_SCM_BASE to compare with a commit.`,
  };
}

/**
 * @param {string} root
 * @param {string[]} args
 * @returns {Promise<string | undefined>} what git answered, or nothing if it failed
 */
async function git(root, args) {
  const { code, output } = await runCommand({ command: "git", args }, { quiet: true, cwd: root });
  return code === 0 ? output.trim() : undefined;
}
