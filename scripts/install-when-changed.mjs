import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npxCommand, runCommand } from "./run-command.mjs";
import { workspaceFolders } from "./workspace-folders.mjs";

const stampFile = join("node_modules", ".promptfold-install");

/**
 * Installs the dependencies unless what is installed is what the lockfile, the manifests, this Node's major version and
 * this platform ask for.
 *
 * @param {string} root
 * @returns {Promise<string | undefined>} what went wrong, if anything did
 */
export async function installWhenChanged(root) {
  const stamp = installStamp(root);
  if (isInstalled(root, stamp)) return undefined;

  const pnpm = readManifest(root).packageManager;
  console.error(`Installing dependencies with ${pnpm}; on a fresh machine this takes up to a minute …`);
  const args = [
    "-y",
    pnpm,
    "install",
    "--frozen-lockfile",
    "--prefer-offline",
    "--config.confirmModulesPurge=false",
  ];
  const { code, output } = await runCommand(npxCommand(args), { quiet: true, cwd: root });
  if (code !== 0) {
    return `${output}\nInstalling the dependencies failed with exit code ${code}; see above. If a package.json was changed, run \`npx ${pnpm} install\` to bring pnpm-lock.yaml up to date.`;
  }
  mkdirSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(join(root, stampFile), stamp);
  return undefined;
}

/**
 * The hash of everything that decides what has to be installed.
 *
 * @param {string} root
 * @param {string} [nodeVersion]
 * @returns {string}
 */
export function installStamp(root, nodeVersion = process.versions.node) {
  const hash = createHash("sha256");
  hash.update(`node ${nodeVersion.split(".")[0]} on ${process.platform} ${process.arch}\n`);
  const manifests = workspaceFolders(root).map((folder) => join(folder, "package.json"));
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json", ...manifests]) {
    const text = readFileSync(join(root, file));
    hash.update(`${file} ${text.length}\n`).update(text);
  }
  return hash.digest("hex");
}

/**
 * @param {string} root
 * @param {string} stamp
 */
function isInstalled(root, stamp) {
  const file = join(root, stampFile);
  if (!existsSync(file) || readFileSync(file, "utf8") !== stamp) return false;
  return workspaceFolders(root).every((folder) => {
    const { dependencies = {}, devDependencies = {} } = readManifest(join(root, folder));
    const names = Object.keys({ ...dependencies, ...devDependencies });
    return names.every((name) => existsSync(join(root, folder, "node_modules", name)));
  });
}

/** @param {string} folder */
function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
