import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listPackages, root, type Manifest } from "./list-packages.ts";

/** Two packages, one of which needs the other's types to compile. */
const built = ["packages/contract", "packages/parser"];
const rootFiles = [
  "package.json",
  "pnpm-workspace.yaml",
  "pnpm-lock.yaml",
  "turbo.json",
  "tsconfig.base.json",
];

let copy: string;

/** Copies a package's sources, and links what it depends on: packages of the copy to each other, others to where they are. */
function copyPackage(dir: string): void {
  for (const name of readdirSync(join(root, dir))) {
    if (["node_modules", "dist", ".turbo"].includes(name)) continue;
    cpSync(join(root, dir, name), join(copy, dir, name), { recursive: true });
  }
  const { dependencies, devDependencies } = readManifest(dir);
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const link = join(copy, dir, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    const inCopy = built.find((other) => readManifest(other).name === name);
    symlinkSync(inCopy ? join(copy, inCopy) : realpathSync(join(root, dir, "node_modules", name)), link);
  }
}

function readManifest(dir: string): Manifest {
  return JSON.parse(readFileSync(join(root, dir, "package.json"), "utf8")) as Manifest;
}

/** Runs turbo in the copy. */
function turbo(...args: string[]): string {
  const env = {
    ...process.env,
    TURBO_TELEMETRY_DISABLED: "1",
    PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
  };
  const command = [join(root, "node_modules/turbo/bin/turbo"), "run", ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: copy,
    env,
    encoding: "utf8",
  });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

/** The files that a build has to leave behind: a script and its types for each source. */
function missingOutput(): string[] {
  return built.flatMap((dir) => {
    const sources = readdirSync(join(copy, dir, "src"), { recursive: true, encoding: "utf8" });
    const stems = sources.filter((file) => /(?<!\.test)\.ts$/.test(file)).map((file) => file.slice(0, -3));
    const outputs = stems.flatMap((stem) => [`${dir}/dist/${stem}.js`, `${dir}/dist/${stem}.d.ts`]);
    return outputs.filter((file) => !existsSync(join(copy, file)));
  });
}

function removeOutput(): void {
  for (const dir of built) rmSync(join(copy, dir, "dist"), { recursive: true, force: true });
}

describe("a build", () => {
  beforeAll(() => {
    copy = realpathSync(mkdtempSync(join(tmpdir(), "promptfold build ")));
    for (const file of rootFiles) cpSync(join(root, file), join(copy, file));
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    for (const dir of built) copyPackage(dir);
    turbo("build");
  });

  afterAll(() => {
    rmSync(copy, { recursive: true, force: true });
  });

  beforeEach(removeOutput);

  test("brings back what was removed, from the cache", () => {
    expect(missingOutput()).not.toEqual([]);
    expect(turbo("build", "typecheck")).toContain("cache hit");
    expect(missingOutput()).toEqual([]);
  });

  test("brings back what was removed when the cache is gone too", () => {
    rmSync(join(copy, ".turbo"), { recursive: true, force: true });
    expect(turbo("build")).not.toContain("cache hit");
    expect(missingOutput()).toEqual([]);
  });
});

describe("settings", () => {
  const tasks = (
    JSON.parse(readFileSync(join(root, "turbo.json"), "utf8")) as {
      tasks: Record<string, { dependsOn?: string[] }>;
    }
  ).tasks;

  test("tests start when the build is done", () => {
    expect(tasks["test"]?.dependsOn).toEqual(expect.arrayContaining(["build", "^build"]));
  });

  test.each(listPackages().map(({ dir, manifest }) => [manifest.name, dir, manifest] as const))(
    "%s keeps its output while it is built, and no build info beside it",
    (_, dir, { scripts = {} }) => {
      if (dir.startsWith("packages/") || dir.startsWith("apps/"))
        expect(scripts["build"]).toMatch(/^tsc -p tsconfig\.build\.json/);
      expect(scripts["build"] ?? "").not.toMatch(/\brm\b|rimraf|del|clean/);
      const files = readdirSync(join(root, dir));
      for (const file of files.filter((name) => /^tsconfig.*\.json$/.test(name))) {
        expect(readFileSync(join(root, dir, file), "utf8"), file).not.toMatch(
          /"(?:composite|incremental)"\s*:\s*true/,
        );
      }
    },
  );
});
