import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { filterProblems } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { listPublicPackages, root, type Manifest } from "../list-packages.ts";
import { runProgram } from "./run-program.ts";

const { project, tarballs } = inject("packed");
const packages = listPublicPackages();
const byName = packages.map((entry) => [entry.manifest.name, entry] as const);
const withCode = byName.filter(([, { dir }]) => !dir.startsWith("configs/"));

/** The folder of an installed package. */
const installed = (name: string): string => join(project, "node_modules", name);

/** The files of an installed package, relative to it. */
function filesOf(name: string): string[] {
  const folder = installed(name);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => !file.startsWith("node_modules") && statSync(join(folder, file)).isFile())
    .sort();
}

function readTarball(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(String(tarballs[name])));
}

/** The specifiers of code that another module can import. Exports that are plain paths are data. */
function entryPoints({ name, exports = {} }: Manifest): string[] {
  const code = Object.entries(exports).filter(([, target]) => typeof target !== "string");
  return code.map(([key]) => name + key.slice(1));
}

describe.each(byName)("%s, packed", (name, { dir, manifest }) => {
  test("depends on published versions only", () => {
    const packed = JSON.parse(readFileSync(join(installed(name), "package.json"), "utf8")) as Manifest;
    const versions = new Map(packages.map((other) => [other.manifest.name, other.manifest.version]));
    for (const [dependency, range] of Object.entries(packed.dependencies ?? {})) {
      const version = versions.get(dependency);
      if (version !== undefined) expect(`${dependency} ${range}`).toBe(`${dependency} ^${version}`);
    }
    for (const file of filesOf(name).filter((path) => !path.endsWith(".md"))) {
      expect(readFileSync(join(installed(name), file), "utf8"), file).not.toMatch(
        /["'](?:workspace|catalog):/,
      );
    }
  });

  test("holds what it promises and nothing else", () => {
    const files = filesOf(name);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
    expect(files.filter((file) => /\.test\.|\.bench\.|vectors\/|\.tsbuildinfo$/.test(file))).toEqual([]);
    if (dir.startsWith("configs/")) {
      expect(files.filter((file) => /^prompts\/.+\.md$/.test(file))).not.toHaveLength(0);
    } else {
      const scripts = files.filter((file) => /^dist\/.+\.js$/.test(file));
      expect(scripts).toContain("dist/index.js");
      expect(files).toEqual(expect.arrayContaining(scripts.map((file) => file.replace(/\.js$/, ".d.ts"))));
    }
    for (const file of files) {
      expect(
        readFileSync(join(installed(name), file), "utf8").includes(root),
        `${file} names this machine`,
      ).toBe(false);
    }
  });

  test("declares every package that its files import", () => {
    const declared = new Set([name, ...Object.keys(manifest.dependencies ?? {}), ...builtinModules]);
    const code = filesOf(name).filter((file) => /\.(?:js|d\.ts)$/.test(file));
    const imported = code.flatMap((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(installed(name), file), "utf8"));
      return importedFiles.map(({ fileName }) => fileName).filter((specifier) => !specifier.startsWith("."));
    });
    const missing = imported.filter((specifier) => {
      const parts = specifier.replace(/^node:/, "").split("/");
      return !declared.has(parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/"));
    });
    expect([...new Set(missing)]).toEqual([]);
  });

  test("publint finds nothing", async () => {
    const tarball = readTarball(name).buffer;
    const { messages, pkg } = await publint({ strict: true, pack: { tarball } });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });
});

describe.each(withCode)("%s, as seen by TypeScript", (name, { manifest }) => {
  test("its types resolve for every module that can import it", async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readTarball(name)), {
      entrypoints: entryPoints(manifest).map((specifier) => `.${specifier.slice(name.length)}`),
    });
    if (analysis.types === false) throw new Error(`${name} ships no types`);
    const problems = [
      ...filterProblems(analysis, { resolutionKind: "node16-esm" }),
      ...filterProblems(analysis, { resolutionKind: "bundler" }),
    ];
    expect(problems).toEqual([]);
  });
});

describe("all packages in one empty project", () => {
  const specifiers = withCode.flatMap(([, { manifest }]) => entryPoints(manifest));

  test("every export can be imported, and offers something", async () => {
    const lines = specifiers.map((specifier) => {
      const name = JSON.stringify(specifier);
      return `console.log(${name}, Object.keys(await import(${name})).length > 0);`;
    });
    writeFileSync(join(project, "import-all.mjs"), lines.join("\n"));
    const { code, stdout, stderr } = await runProgram(process.execPath, ["import-all.mjs"], project);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trim().split("\n")).toEqual(specifiers.map((specifier) => `${specifier} true`));
  });

  test("every file of data that is exported can be resolved", async () => {
    const files = packages.flatMap(({ manifest: { name, exports = {} } }) => {
      const keys = Object.keys(exports).filter((key) => typeof exports[key] === "string");
      return keys.flatMap((key) => {
        if (!key.endsWith("/*")) return [name + key.slice(1)];
        const folder = key.slice(2, -2);
        return readdirSync(join(installed(name), folder)).map((file) => `${name}/${folder}/${file}`);
      });
    });
    expect(files).toContain("@promptfold/config-default/prompts/agent-system-prompt.md");
    const lines = files.map((file) => `import.meta.resolve(${JSON.stringify(file)});`);
    writeFileSync(join(project, "resolve-all.mjs"), lines.join("\n"));
    expect(await runProgram(process.execPath, ["resolve-all.mjs"], project)).toMatchObject({
      code: 0,
      stderr: "",
    });
  });

  test.each([
    ["a module under node16", "consumer.mts", ts.ModuleKind.Node16, ts.ModuleResolutionKind.Node16],
    [
      "a module under bundler resolution",
      "consumer.mts",
      ts.ModuleKind.ESNext,
      ts.ModuleResolutionKind.Bundler,
    ],
  ])("%s compiles against every export", (_, file, module, moduleResolution) => {
    expect(diagnose(file, importAll(specifiers), { module, moduleResolution })).toEqual([]);
  });

  test("what one function gives another takes, however strict the compiler is about what may be undefined", () => {
    const consumer = `
      import { checkPaths } from "@promptfold/check";
      import { parsePromptFile, renderPrompt } from "@promptfold/templating";
      import { loadPrompt, loadPromptSections, readJournalConfig } from "@promptfold/templating/node";
      declare const maybe: string | undefined;
      const { identity } = readJournalConfig("config/journal.json");
      const options = { baseDir: "prompts", templatesDir: maybe, identity };
      loadPrompt("a", { baseDir: "prompts", identity });
      loadPrompt("a", options);
      loadPromptSections("a", { ...options, fallbackKey: maybe });
      renderPrompt(parsePromptFile("a", { file: "a.md", originFile: maybe }), { identity });
      void checkPaths(["."], { templatesDir: maybe, journalPath: maybe });
    `;
    const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    expect(diagnose("strict.mts", consumer, { ...node16, ...strictest })).toEqual([]);
  });

  test("CommonJS under node16 is told that the packages are ECMAScript modules", () => {
    const found = diagnose("consumer.cts", importAll(specifiers), node16);
    expect(found).toHaveLength(specifiers.length);
    for (const message of found) expect(message).toMatch(/^TS1479: .*ECMAScript module/);
  });
});

const node16 = { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 };

function importAll(specifiers: readonly string[]): string {
  const lines = specifiers.map(
    (specifier, index) => `import * as m${index} from "${specifier}"; void m${index};`,
  );
  return lines.join("\n");
}

/** What TypeScript has to say about a file of the project that installed the packages. */
function diagnose(file: string, text: string, options: ts.CompilerOptions): string[] {
  const path = join(project, file);
  writeFileSync(path, text);
  const target = ts.ScriptTarget.ES2023;
  const lib = ["lib.es2023.d.ts"];
  const program = ts.createProgram([path], {
    ...{ target, lib, strict: true, noEmit: true, skipLibCheck: true, types: [] },
    ...options,
  });
  return ts.getPreEmitDiagnostics(program).map(({ code, messageText }) => {
    return `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}

describe("commands", () => {
  const commands = packages.flatMap(({ manifest: { name, version, bin = {} } }) =>
    Object.entries(bin).map(([command, file]) => ({ command, name, version, file })),
  );
  let elsewhere: string;

  beforeAll(() => {
    elsewhere = mkdtempSync(join(tmpdir(), "promptfold-links-"));
    symlinkSync(project, join(elsewhere, "linked-project"));
  });

  afterAll(() => {
    rmSync(elsewhere, { recursive: true, force: true });
  });

  test("there are some", () => {
    expect(commands.map(({ command }) => command)).toEqual(
      expect.arrayContaining(["promptfold", "promptfold-check"]),
    );
  });

  test.each(commands)("$command starts with a line that names its interpreter", ({ name, file }) => {
    expect(readFileSync(join(installed(name), file), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test.each(commands)("$command --version works however it is reached", async ({ command, version }) => {
    const bin = join(project, "node_modules", ".bin", command);
    expect(existsSync(bin)).toBe(true);
    const link = join(elsewhere, command);
    symlinkSync(bin, link);
    const linkedBin = join(elsewhere, "linked-project", "node_modules", ".bin", command);
    const results = await Promise.all([
      runProgram(bin, ["--version"], project),
      runProgram(link, ["--version"], elsewhere),
      runProgram(linkedBin, ["--version"], elsewhere),
      runProgram("npx", ["--no-install", command, "--version"], project),
    ]);
    for (const result of results) expect(result).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("promptfold renders a prompt of an installed package", async () => {
    const bin = join(project, "node_modules", ".bin", "promptfold");
    const prompts = join(installed("@promptfold/config-default"), "prompts");
    const result = await runProgram(bin, ["render", join(prompts, "agent-system-prompt.md")], project);
    expect(result).toMatchObject({ code: 0 });
    expect(result.stdout).toContain('<section key="output-formatting">');
  });

  test("promptfold-check accepts the installed prompts", async () => {
    const bin = join(project, "node_modules", ".bin", "promptfold-check");
    const folders = ["@promptfold/config-default", "@promptfold/config-codemode-tag"].map(installed);
    expect(await runProgram(bin, folders, project)).toMatchObject({ code: 0 });
  });
});
