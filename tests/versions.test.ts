import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commitAll, copyManifests, git } from "./copy-manifests.ts";
import { root, type Manifest } from "./list-packages.ts";

let copy: string;

function write(file: string, text: string): void {
  mkdirSync(join(copy, file, ".."), { recursive: true });
  writeFileSync(join(copy, file), text);
}

function commitChangeset(packages: Readonly<Record<string, string>>): void {
  const lines = Object.entries(packages).map(([name, bump]) => `"${name}": ${bump}`);
  write(".changeset/a-change.md", `---\n${lines.join("\n")}\n---\n\nSomething that users notice.\n`);
  commitAll(copy, "A change");
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

function readManifest(dir: string): Manifest {
  return JSON.parse(readFileSync(join(copy, dir, "package.json"), "utf8")) as Manifest;
}

beforeEach(() => {
  copy = copyManifests();
  // A private package that builds on a public one.
  const ranges = { "@promptfold/parser": "workspace:^" };
  const example = { name: "example", version: "1.0.0", private: true, dependencies: ranges };
  write("packages/example/package.json", `${JSON.stringify(example, null, 2)}\n`);
  commitAll(copy, "An example");
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

  const touched = git(copy, "status", "--porcelain", "--untracked-files=all").split("\n");
  expect(
    touched.filter((line) => / (?:packages\/example|tests|scripts)\/| package\.json$/.test(line)),
  ).toEqual([]);
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
  expect(git(copy, "status", "--porcelain")).toBe("");
});

test("the changesets that wait in this repository can be released", () => {
  cpSync(join(root, ".changeset"), join(copy, ".changeset"), { recursive: true });
  commitAll(copy, "The changesets that wait");
  expect(runVersion()).toMatchObject({ status: 0 });
});
