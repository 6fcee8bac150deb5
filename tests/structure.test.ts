import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { listPackages, listPublicPackages, root, type Manifest } from "./list-packages.ts";

/** The text of every string literal of a source file; what comments mention does not count. */
function stringLiterals(file: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.ES2023));
  return texts;
}

const publicPackages = listPublicPackages().map((entry) => [entry.manifest.name, entry] as const);

/** Source that is shipped: no tests. Paths are relative to the root. */
function sourceFiles(folder: string): string[] {
  const source = join(root, folder, "src");
  if (!existsSync(source)) return [];
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).map((file) =>
    file.replaceAll("\\", "/"),
  );
  const shipped = files.filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
  return shipped.sort().map((file) => `${folder}/src/${file}`);
}

describe.each(publicPackages)("%s", (name, { dir, path, manifest }) => {
  test("its package.json says what a user and a registry need to know", () => {
    expect(manifest).toMatchObject({ type: "module", sideEffects: false, license: "MIT" });
    expect(manifest.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(manifest.description).toMatch(/^[A-Z].+\.$/);
    expect(manifest.engines).toEqual({ node: ">=20.19" });
    expect(manifest.files).not.toHaveLength(0);
    expect(manifest.exports).toHaveProperty(["./package.json"], "./package.json");
  });

  test("every export names its types first, or is data", () => {
    const entries = Object.entries(manifest.exports ?? {}).filter(([key]) => key !== "./package.json");
    expect(entries).not.toHaveLength(0);
    for (const [key, target] of entries) {
      if (typeof target === "string")
        expect(target, key).toMatch(/^\.\/(?:prompts|templates|config|schemas)\/.+/);
      else expect(Object.keys(target as object), key).toEqual(["types", "default"]);
    }
  });

  test("its dependencies inside the workspace are workspace ranges", () => {
    const names = new Set(listPackages().map((entry) => entry.manifest.name));
    const ranges = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    for (const [dependency, range] of ranges.filter(([other]) => names.has(other))) {
      expect(`${dependency} ${range}`).toBe(`${dependency} workspace:^`);
    }
  });

  test("its README says how to install it and shows an example with its output", () => {
    const file = join(path, "README.md");
    expect(existsSync(file)).toBe(true);
    const readme = readFileSync(file, "utf8");
    expect(readme).toContain(`# ${name}`);
    expect(readme).toMatch(/npm install(?: -[gD])? \S+|npx \S+/);
    expect(readme).toMatch(/^```ts\n[\s\S]+?^```\n\s*```text\n[\s\S]*?^```$/m);
  });

  test("its index lists what it exports, one by one", () => {
    for (const file of sourceFiles(dir).filter((source) => source.endsWith("/index.ts"))) {
      expect(readFileSync(join(root, file), "utf8"), file).not.toMatch(/export\s*\*/);
    }
  });
});

describe("the root", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;

  test("depends on no package of the workspace, or every change would affect every package", () => {
    const ranges = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(ranges.filter((range) => range.startsWith("workspace:"))).toEqual([]);
  });

  test("offers the promptfold command to npx", () => {
    const command = manifest.bin?.["promptfold"] ?? "";
    expect(readFileSync(join(root, command), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});

test("these tests depend on every public package, so that a change of any of them runs them", () => {
  const { devDependencies = {} } = JSON.parse(
    readFileSync(join(root, "tests", "package.json"), "utf8"),
  ) as Manifest;
  expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(publicPackages.map(([name]) => name)));
});

describe("source", () => {
  const everySource = listPackages().flatMap(({ dir }) => sourceFiles(dir));

  test("each event type is written once, in the contract", () => {
    const contract = join(root, "packages/contract/src/event-types.ts");
    const types = [...readFileSync(contract, "utf8").matchAll(/"([a-z-]+\/[a-z-]+)"/g)].map(([, type]) =>
      String(type),
    );
    expect(types).toHaveLength(12);
    const places = everySource.flatMap((file) => {
      const literals = stringLiterals(file).filter((text) => types.includes(text));
      return literals.map((type) => `${type} in ${file}`);
    });
    expect(places).toEqual(types.map((type) => `${type} in packages/contract/src/event-types.ts`));
  });

  test("no boundary between packages is switched off by a comment", () => {
    const places = everySource.filter((file) =>
      /eslint-disable[^\n]*no-restricted-|eslint-disable(?:-next-line|-line)?\s*(?:\*\/|--|$)/m.test(
        readFileSync(join(root, file), "utf8"),
      ),
    );
    expect(places).toEqual([]);
  });

  test("no folder is a place for leftovers", () => {
    expect(
      everySource.filter((file) => /\/(?:utils?|helpers?|common|misc|shared)(?:\/|\.ts$)/.test(file)),
    ).toEqual([]);
  });
});
