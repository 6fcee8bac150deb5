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
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listPackages, root, type Manifest } from "./list-packages.ts";

/** Two packages, one of which needs the other's types to compile, each with a source of one line. */
const sources = {
  "packages/contract": "export const one: number = 1;\n",
  "packages/parser": 'import { one } from "@promptfold/contract";\nexport const two: number = one + one;\n',
};
const built = Object.keys(sources);
const rootFiles = [
  "package.json",
  "pnpm-workspace.yaml",
  "pnpm-lock.yaml",
  "turbo.json",
  "tsconfig.base.json",
];

let copy: string;

/** Copies how a package is built, and links those of its dependencies that are copied too. */
function copyPackage(dir: string, source: string): void {
  for (const name of ["package.json", "tsconfig.json", "tsconfig.build.json"]) {
    cpSync(join(root, dir, name), join(copy, dir, name));
  }
  mkdirSync(join(copy, dir, "src"));
  writeFileSync(join(copy, dir, "src", "index.ts"), source);
  for (const other of built) {
    const { name } = readManifest(other);
    if (readManifest(dir).dependencies?.[name] === undefined) continue;
    const link = join(copy, dir, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(copy, other), link);
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

/** What a build has to leave behind, and did not. */
function missingOutput(): string[] {
  const outputs = built.flatMap((dir) => [`${dir}/dist/index.js`, `${dir}/dist/index.d.ts`]);
  return outputs.filter((file) => !existsSync(join(copy, file)));
}

function removeOutput(): void {
  for (const dir of built) rmSync(join(copy, dir, "dist"), { recursive: true, force: true });
}

describe("a build", () => {
  beforeAll(() => {
    copy = realpathSync(mkdtempSync(join(tmpdir(), "promptfold build ")));
    for (const file of rootFiles) cpSync(join(root, file), join(copy, file));
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    for (const [dir, source] of Object.entries(sources)) copyPackage(dir, source);
    turbo("build");
  });

  afterAll(() => {
    rmSync(copy, { recursive: true, force: true });
  });

  beforeEach(removeOutput);

  test("brings back what was removed, from the cache", () => {
    expect(missingOutput()).not.toEqual([]);
    expect(turbo("build")).toContain("cache hit");
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
        expect(scripts["build"]).toMatch(/tsc -p tsconfig\.build\.json/);
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
