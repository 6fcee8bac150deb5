import { readFileSync } from "node:fs";
import { join } from "node:path";
import { workspaceFolders } from "../scripts/workspace-folders.mjs";

/** The parts of a package.json that the tests look at. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly license?: string;
  readonly type?: string;
  readonly sideEffects?: boolean;
  readonly files?: readonly string[];
  readonly engines?: { readonly node?: string };
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A package of the workspace: its folder relative to the root, that folder's absolute path, and its package.json. */
export interface WorkspacePackage {
  readonly dir: string;
  readonly path: string;
  readonly manifest: Manifest;
}

/** The absolute path of the repository. */
export const root: string = join(import.meta.dirname, "..");

/** Every package of the workspace, in the order of their folders. */
export function listPackages(): readonly WorkspacePackage[] {
  return workspaceFolders(root).map((dir) => {
    const path = join(root, dir);
    const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Manifest;
    return { dir, path, manifest };
  });
}

/** The packages that are published. */
export function listPublicPackages(): readonly WorkspacePackage[] {
  return listPackages().filter(({ manifest }) => manifest.private !== true);
}
