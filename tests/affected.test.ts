import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { copyManifests, git } from "./copy-manifests.ts";
import { root } from "./list-packages.ts";

let copy: string;

beforeAll(() => {
  copy = copyManifests();
});

beforeEach(() => {
  git(copy, "clean", "-fdq");
});

afterAll(() => {
  rmSync(copy, { recursive: true, force: true });
});

/** The tasks that turbo would run for a change of one file, as `package#task`. */
function affectedTasks(file: string): string[] {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), "changed");
  const turbo = join(root, "node_modules", "turbo", "bin", "turbo");
  const args = ["run", "build", "typecheck", "lint", "test", "check", "--affected", "--dry=json"];
  const env = { ...process.env, TURBO_SCM_BASE: "main", TURBO_TELEMETRY_DISABLED: "1" };
  const { stdout, stderr } = spawnSync(process.execPath, [turbo, ...args], {
    cwd: copy,
    env,
    encoding: "utf8",
  });
  expect(stdout, stderr).toContain("{");
  const { tasks } = JSON.parse(stdout) as { tasks: { taskId: string; command: string }[] };
  return tasks.filter(({ command }) => command !== "<NONEXISTENT>").map(({ taskId }) => taskId);
}

test("a prompt concerns the configuration that holds it and what uses that, and no library's tests", () => {
  const tasks = affectedTasks("configs/default/prompts/new.md");
  expect(tasks).toEqual(
    expect.arrayContaining(["@promptfold/config-default#check", "promptfold#test", "@promptfold/tests#test"]),
  );
  expect(
    tasks.filter((task) => /^@promptfold\/(?:parser|fold|journal)#(?:test|lint|typecheck)$/.test(task)),
  ).toEqual([]);
});

test("a library concerns itself and what builds on it", () => {
  const tasks = affectedTasks("packages/replay/src/new.ts");
  expect(tasks).toEqual(expect.arrayContaining(["@promptfold/replay#test", "promptfold#test"]));
  expect(
    tasks.filter((task) => /^@promptfold\/(?:parser|fold|config-default|sandbox)#(?:test|check)$/.test(task)),
  ).toEqual([]);
});

test("a script concerns the tests of the scripts", () => {
  const tasks = affectedTasks("scripts/new.mjs");
  expect(tasks).toEqual(expect.arrayContaining(["@promptfold/scripts#lint", "@promptfold/tests#test"]));
  expect(tasks.filter((task) => task.endsWith("#test"))).toEqual(["@promptfold/tests#test"]);
});

test("the rules that hold for all packages concern all of them", () => {
  const tasks = affectedTasks("eslint.config.mjs");
  expect(tasks).toEqual(
    expect.arrayContaining(["@promptfold/contract#lint", "promptfold#lint", "@promptfold/tests#lint"]),
  );
});

test("a page of documentation concerns no package", () => {
  expect(affectedTasks("docs/new.md")).toEqual([]);
});
