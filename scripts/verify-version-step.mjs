import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { workspaceFolders } from "./workspace-folders.mjs";

/**
 * The changesets that wait for the next version, by file name.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function pendingChangesets(root) {
  const names = readdirSync(join(root, ".changeset"));
  return names.filter((name) => name.endsWith(".md") && name !== "README.md").sort();
}

/**
 * Each package of the workspace with its version.
 *
 * @param {string} root
 * @returns {Map<string, string>}
 */
export function versionedPackages(root) {
  return new Map(
    workspaceFolders(root).map((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      return [name, version];
    }),
  );
}

/**
 * Says so when a version step had something to do and did nothing.
 *
 * @param {readonly string[]} pending the changesets before the step
 * @param {ReadonlyMap<string, string>} before the versions before it
 * @param {ReadonlyMap<string, string>} after the versions after it
 * @returns {string | undefined}
 */
export function explainIdleVersion(pending, before, after) {
  if (pending.length === 0) return undefined;
  if ([...after].some(([name, version]) => before.get(name) !== version)) return undefined;
  return `No package got a new version, although changesets are pending: ${pending.join(", ")}. Do they name public packages of this workspace?`;
}
