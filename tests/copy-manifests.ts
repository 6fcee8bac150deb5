import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listPackages, root } from "./list-packages.ts";

const rootFiles = [
  "package.json",
  "pnpm-workspace.yaml",
  "pnpm-lock.yaml",
  "turbo.json",
  ".changeset/config.json",
];

/** A new temporary git repository that holds nothing but the manifests and settings of this one; for the caller to remove. */
export function copyManifests(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), "promptfold-manifests-")));
  const manifests = listPackages().map(({ dir }) => `${dir}/package.json`);
  for (const file of [...rootFiles, ...manifests]) cpSync(join(root, file), join(copy, file));
  git(copy, "init", "-q", "-b", "main");
  commitAll(copy, "Start");
  return copy;
}

/** Commits everything in a repository. */
export function commitAll(repository: string, message: string): void {
  git(repository, "add", "-A");
  git(repository, "commit", "-q", "--allow-empty", "-m", message);
}

/** Runs git in a repository, as somebody, and gives back what it printed. */
export function git(repository: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], {
    cwd: repository,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trimEnd();
}
