import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listPackages, root, type Manifest } from "./list-packages.ts";

const commonFiles = ["package.json", "pnpm-workspace.yaml", ".changeset/config.json"];
let copy: string;

/** Runs git in the copy and gives back what it printed. */
function git(...args: string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], {
    cwd: copy,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

function write(file: string, text: string): void {
  mkdirSync(join(copy, file, ".."), { recursive: true });
  writeFileSync(join(copy, file), text);
}

function commitChangeset(packages: Readonly<Record<string, string>>): void {
  const lines = Object.entries(packages).map(([name, bump]) => `"${name}": ${bump}`);
  write(".changeset/a-change.md", `---\n${lines.join("\n")}\n---\n\nSomething that users notice.\n`);
  git("add", "-A");
  git("commit", "-q", "-m", "A change");
}

/** What `npm run changeset version` does, in the copy. */
function runVersion(): { status: number | null; output: string } {
  const task = pathToFileURL(join(root, "scripts", "tasks", "changeset.mjs")).href;
  const code = `
    const { runChangeset } = await import(${JSON.stringify(task)});
    process.exitCode = await runChangeset(["version"], ${JSON.stringify(copy)});
  `;
  const args = ["--input-type=module", "--eval", code];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

const readManifest = (dir: string): Manifest =>
  JSON.parse(readFileSync(join(copy, dir, "package.json"), "utf8")) as Manifest;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), "promptfold-versions-"));
  for (const file of commonFiles) cpSync(join(root, file), join(copy, file));
  for (const { dir } of listPackages())
    cpSync(join(root, dir, "package.json"), join(copy, dir, "package.json"));
  // A private package that builds on a public one.
  const ranges = { "@promptfold/parser": "workspace:^" };
  const example = { name: "example", version: "1.0.0", private: true, dependencies: ranges };
  write("packages/example/package.json", `${JSON.stringify(example, null, 2)}\n`);
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "Start");
});

afterEach(() => {
  rmSync(copy, { recursive: true, force: true });
});

test("a version step raises a public package and leaves private ones that use it alone", () => {
  const before = readManifest("packages/parser").version;
  commitChangeset({ "@promptfold/parser": "minor" });
  const { status, output } = runVersion();
  expect({ status, output }).toMatchObject({ status: 0 });

  const [major = 0, minor = 0] = before.split(".").map(Number);
  const after = `${major}.${minor + 1}.0`;
  expect(readManifest("packages/parser").version).toBe(after);
  const changelog = readFileSync(join(copy, "packages/parser/CHANGELOG.md"), "utf8");
  expect(changelog).toContain(`## ${after}`);
  expect(changelog).toContain("Something that users notice.");

  const touched = git("status", "--porcelain", "--untracked-files=all").split("\n");
  expect(touched.filter((line) => /packages\/example|tests\/| package\.json$/.test(line))).toEqual([]);
});

test("a version step that has changesets and changes no version fails, and says which changesets wait", () => {
  commitChangeset({ example: "minor" });
  const { status, output } = runVersion();
  expect(status).toBe(1);
  expect(output).toContain("a-change.md");
  expect(readManifest("packages/example").version).toBe("1.0.0");
});

test("a version step without changesets has nothing to do, and that is fine", () => {
  expect(runVersion()).toMatchObject({ status: 0 });
  expect(git("status", "--porcelain")).toBe("");
});

test("the changesets that wait in this repository can be released", () => {
  cpSync(join(root, ".changeset"), join(copy, ".changeset"), { recursive: true });
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "The changesets that wait");
  expect(runVersion()).toMatchObject({ status: 0 });
});
