import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { listPublicPackages, root } from "../list-packages.ts";
import { runProgram } from "./run-program.ts";

/** Where the packed packages are: `tarballs` by package name, and an otherwise empty project that has installed them all. */
export interface PackedPackages {
  readonly tarballs: Readonly<Record<string, string>>;
  readonly project: string;
}

declare module "vitest" {
  interface ProvidedContext {
    packed: PackedPackages;
  }
}

/** Packs every public package and installs the tarballs together, as a user would, in a folder far from the repository. */
export default async function setup(vitest: TestProject): Promise<() => void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "promptfold-packed-")));
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    vitest.provide("packed", await packAndInstall(folder));
  } catch (error) {
    remove();
    throw error;
  }
  return remove;
}

async function packAndInstall(folder: string): Promise<PackedPackages> {
  const packages = listPublicPackages();
  const destination = join(folder, "tarballs");
  const filters = packages.map(({ manifest }) => `--filter=${manifest.name}`);
  const pnpm = join(root, "node_modules", "pnpm", "bin", "pnpm.cjs");
  await mustSucceed(
    process.execPath,
    [pnpm, "-r", ...filters, "pack", "--pack-destination", destination],
    root,
  );
  const tarballs = Object.fromEntries(
    packages.map(({ manifest: { name, version } }) => {
      const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
      return [name, join(destination, file)];
    }),
  );

  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "empty", private: true, type: "module" }),
  );
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await mustSucceed("npm", ["install", ...options, ...Object.values(tarballs)], project);
  return { tarballs, project };
}

async function mustSucceed(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await runProgram(command, args, cwd);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} exited with ${code}:\n${stdout}${stderr}`);
}
