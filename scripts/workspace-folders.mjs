import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The folders of the workspace's packages, relative to the root and sorted, as `pnpm-workspace.yaml` lists them: `name`, or
 * `name/*` for each package right below.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function workspaceFolders(root) {
  const workspace = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
  const list =
    /^packages:\n((?:[ \t]+-.*\n|[ \t]*#.*\n|\n)*)/m.exec(workspace.replaceAll("\r\n", "\n"))?.[1] ?? "";
  const patterns = [...list.matchAll(/^[ \t]+-[ \t]*["']?([^"'\s#]+)/gm)].map(([, pattern]) =>
    String(pattern),
  );
  const folders = patterns.flatMap((pattern) => {
    if (!pattern.endsWith("/*")) return [pattern];
    const parent = pattern.slice(0, -2);
    if (!existsSync(join(root, parent))) return [];
    return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`);
  });
  return folders.filter((folder) => existsSync(join(root, folder, "package.json"))).sort();
}
