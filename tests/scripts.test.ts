import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chooseAffectedBase } from "../scripts/choose-affected-base.mjs";
import { countTests } from "../scripts/count-tests.mjs";
import { explainOldNode } from "../scripts/explain-old-node.mjs";
import { installStamp } from "../scripts/install-when-changed.mjs";
import { countSteps, reportSteps } from "../scripts/report-steps.mjs";
import { turboSteps } from "../scripts/turbo-steps.mjs";
import { workspaceFolders } from "../scripts/workspace-folders.mjs";
import { git } from "./copy-manifests.ts";
import { root } from "./list-packages.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "promptfold scripts ")));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(file: string, text: string): void {
  mkdirSync(join(folder, file, ".."), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function writeWorkspace(): void {
  write("package.json", JSON.stringify({ name: "root", private: true, packageManager: "pnpm@10.34.8" }));
  write("pnpm-lock.yaml", "lockfileVersion: '9.0'\n");
  write(
    "pnpm-workspace.yaml",
    "packages:\n  - packages/*\n  # its own tests\n  - 'tests'\n\nallowBuilds: {}\n",
  );
  write("packages/b/package.json", JSON.stringify({ name: "b" }));
  write("packages/a/package.json", JSON.stringify({ name: "a" }));
  write("packages/no-package/readme.txt", "");
  write("tests/package.json", JSON.stringify({ name: "tests" }));
}

describe("the Node version", () => {
  test.each(["v20.19.0", "v20.20.2", "v22.0.0", "v24.1.0", "v26.0.0", "v100.0.0"])(
    "%s will do",
    (version) => {
      expect(explainOldNode(version)).toBeUndefined();
    },
  );

  test.each(["v20.18.3", "v18.20.4", "v4.9.1", "v0.12.18"])(
    "%s will not, and the message says what will",
    (version) => {
      expect(explainOldNode(version)).toMatch(new RegExp(`20\\.19.*${version}.*nodejs\\.org`));
    },
  );
});

describe("what has to be installed", () => {
  beforeEach(writeWorkspace);

  test("the workspace's packages are those that pnpm-workspace.yaml lists", () => {
    expect(workspaceFolders(folder)).toEqual(["packages/a", "packages/b", "tests"]);
    write("pnpm-workspace.yaml", "packages:\r\n  - packages/*\r\nallowBuilds: {}\r\n");
    expect(workspaceFolders(folder)).toEqual(["packages/a", "packages/b"]);
  });

  test("the stamp depends on Node's major version, not on its minor one", () => {
    expect(installStamp(folder, "20.19.0")).toBe(installStamp(folder, "20.20.2"));
    expect(installStamp(folder, "20.19.0")).not.toBe(installStamp(folder, "22.0.0"));
  });

  test.each([
    "package.json",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "packages/a/package.json",
    "tests/package.json",
  ])("a change of %s changes the stamp", (file) => {
    const before = installStamp(folder);
    write(file, `${readFileSync(join(folder, file), "utf8")}\n`);
    expect(installStamp(folder)).not.toBe(before);
  });

  test("a new package changes the stamp", () => {
    const before = installStamp(folder);
    write("packages/c/package.json", JSON.stringify({ name: "c" }));
    expect(installStamp(folder)).not.toBe(before);
  });
});

describe("counting", () => {
  const testFile = (status: string, ...tests: string[]): object => ({
    status,
    assertionResults: tests.map((each) => ({ status: each })),
  });
  const report = (...testResults: object[]): string => JSON.stringify({ testResults });

  test("tests are counted by their outcome", () => {
    const json = report(
      testFile("passed", "passed", "passed", "skipped"),
      testFile("failed", "failed", "todo", "pending"),
    );
    expect(countTests(json, 1)).toEqual({ passed: 2, failed: 1, skipped: 3 });
  });

  test("a file that could not be loaded is one failure", () => {
    const json = report(
      testFile("failed"),
      testFile("failed", "failed", "passed"),
      testFile("failed", "passed"),
    );
    expect(countTests(json, 1)).toEqual({ passed: 2, failed: 3, skipped: 0 });
  });

  test("a run that failed without a failed test, or without a report, is one failure", () => {
    expect(countTests(report(testFile("passed", "passed")), 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
    expect(countTests(undefined, 137)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test("a step counts as one, a step with tests as its tests, and the last line is the sum", () => {
    const steps = [
      { name: "build", outcome: "passed", note: "3 packages" },
      { name: "lint", outcome: "failed", note: "in 1 of 3 packages" },
      { name: "check", outcome: "skipped", note: "not run" },
      { name: "tests", outcome: "passed", note: "3.0 s", tests: { passed: 10, failed: 0, skipped: 1 } },
    ] as const;
    expect(countSteps(steps)).toEqual({ passed: 11, failed: 1, skipped: 2 });
    expect(reportSteps(steps)).toEqual([
      "build  passed   3 packages",
      "lint   failed   in 1 of 3 packages",
      "check  skipped  not run",
      "tests  passed   3.0 s (10 passed, 0 failed, 1 skipped)",
      "",
      "11 passed, 1 failed, 2 skipped",
    ]);
  });

  describe("what turbo did", () => {
    const run = (task: string, exitCode?: number, status = "MISS"): object => ({
      task,
      cache: { status },
      ...(exitCode === undefined ? {} : { execution: { exitCode } }),
    });
    const outcomes = (tasks: object[], exitCode: number): string[] =>
      turboSteps(["build", "lint"], JSON.stringify({ tasks }), exitCode).map(
        ({ name, outcome, note }) => `${name} ${outcome}: ${note}`,
      );

    test("all is well", () => {
      expect(outcomes([run("build", 0), run("build", 0, "HIT"), run("lint", 0)], 0)).toEqual([
        "build passed: 2 packages, 1 from the cache",
        "lint passed: 1 package",
      ]);
    });

    test("one kind failed", () => {
      expect(outcomes([run("build", 0), run("lint", 1), run("lint", 0)], 1)).toEqual([
        "build passed: 1 package",
        "lint failed: in 1 of 2 packages",
      ]);
    });

    test("the build failed, so that the rest did not run in full", () => {
      expect(outcomes([run("build", 2), run("lint", 0), run("lint")], 2)).toEqual([
        "build failed: in 1 of 1 package",
        "lint skipped: not run in full",
      ]);
    });

    test("turbo itself failed", () => {
      expect(turboSteps(["build", "lint"], undefined, 1)).toMatchObject([
        { outcome: "failed" },
        { outcome: "skipped" },
      ]);
    });
  });
});

describe("what a change is compared with", () => {
  let origin: string;
  let first: string;

  beforeEach(() => {
    origin = join(folder, "origin");
    mkdirSync(origin);
    git(origin, "init", "-q", "--initial-branch=main");
    git(origin, "commit", "-q", "--allow-empty", "-m", "first");
    first = git(origin, "rev-parse", "HEAD");
    git(origin, "checkout", "-q", "-b", "change");
    git(origin, "commit", "-q", "--allow-empty", "-m", "change");
  });

  test("main, where there is no origin", async () => {
    const { base, explanation } = await chooseAffectedBase(origin, undefined);
    expect(base).toBe(first);
    expect(explanation).toContain("Comparing with main ");
  });

  test("origin/main in a clone, even when main is elsewhere", async () => {
    const clone = join(folder, "clone");
    git(folder, "clone", "-q", origin, clone);
    const { base, explanation } = await chooseAffectedBase(clone, undefined);
    expect(base).toBe(first);
    expect(explanation).toContain("Comparing with origin/main ");
  });

  test("the commit that was asked for", async () => {
    const { base } = await chooseAffectedBase(origin, "change");
    expect(base).toBe(git(origin, "rev-parse", "change"));
  });

  test("nothing in a shallow clone whose history does not reach main: everything runs", async () => {
    const clone = join(folder, "shallow");
    git(folder, "clone", "-q", "--depth=1", "--no-single-branch", pathToFileURL(origin).href, clone);
    const { base, explanation } = await chooseAffectedBase(clone, undefined);
    expect(base).toBeUndefined();
    expect(explanation).toMatch(/^Running everything, .*origin\/main.*shallow/);
  });

  test("nothing where there is neither main nor a repository: everything runs", async () => {
    git(origin, "branch", "-q", "-D", "main");
    expect((await chooseAffectedBase(origin, undefined)).explanation).toMatch(/^Running everything/);
    expect((await chooseAffectedBase(folder, undefined)).base).toBeUndefined();
    expect((await chooseAffectedBase(folder, "no-such-branch")).explanation).toContain("no-such-branch");
  });
});

describe("as a user runs them", () => {
  const node = (
    cwd: string,
    ...args: string[]
  ): { status: number | null; stdout: string; stderr: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
    return { status, stdout, stderr };
  };

  test("an unknown task names those that exist", () => {
    const { status, stderr } = node(root, "scripts/run.mjs", "constructor");
    expect(status).toBe(2);
    expect(stderr).toMatch(/^There is no task "constructor"\. Tasks: start, test, /);
  });

  test("every npm script of the root is a task", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const { stderr } = node(root, "scripts/run.mjs");
    const tasks = /Tasks: (.*)\./.exec(stderr)?.[1]?.split(", ").sort();
    expect(Object.keys(scripts).sort()).toEqual(tasks);
    for (const [name, command] of Object.entries(scripts))
      expect(command).toBe(`node scripts/run.mjs ${name}`);
  });

  test("when the build fails, the steps that need none still run and the counts are the last line", () => {
    writeWorkspace();
    write(
      "package.json",
      JSON.stringify({ name: "root", private: true, packageManager: "pnpm@10.34.8", type: "module" }),
    );
    const dependsOn = ["^build"];
    write(
      "turbo.json",
      JSON.stringify({ tasks: { build: {}, typecheck: {}, lint: { dependsOn }, check: { dependsOn } } }),
    );
    write(
      "packages/a/package.json",
      JSON.stringify({ name: "a", scripts: { build: "node -e process.exit(3)" } }),
    );
    cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));

    const steps = pathToFileURL(join(folder, "scripts", "tasks", "test.mjs")).href;
    const commands = pathToFileURL(join(folder, "scripts", "run-command.mjs")).href;
    const code = `
      const { useLocalBins } = await import(${JSON.stringify(commands)});
      useLocalBins(${JSON.stringify(folder)});
      const { runTest } = await import(${JSON.stringify(steps)});
      process.exitCode = await runTest([]);
    `;
    const { status, stdout } = node(folder, "--input-type=module", "--eval", code);
    expect(status).toBe(1);
    expect(stdout).toMatch(/a#build.*exited \(\d+\)/);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.at(-1)).toMatch(/^\d+ passed, \d+ failed, 4 skipped$/);
    expect(lines).toContainEqual(expect.stringMatching(/^tests +skipped +not run$/));
    expect(lines).toContainEqual(expect.stringMatching(/^format +(?:passed|failed) +\d/));
  });
});
