import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, inject, test } from "vitest";
import { listPublicPackages, root } from "../list-packages.ts";
import { runProgram } from "./run-program.ts";

const { project } = inject("packed");

/** Every `ts` block of a README with the `text` block that follows it: what the example prints. */
const examples = listPublicPackages().flatMap(({ path, manifest: { name } }) => {
  const readmeFile = join(path, "README.md");
  const readme = existsSync(readmeFile) ? readFileSync(readmeFile, "utf8") : "";
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```\n\s*```text\n([\s\S]*?)^```$/gm)];
  const file = `readme-${name.replace("@", "").replace("/", "-")}`;
  if (blocks.length === 0) return [{ name, code: undefined, output: undefined, file }];
  return blocks.map(([, code, output], index) => ({ name, code, output, file: `${file}-${index}` }));
});

test.each(examples)("the example of $name prints what its README says", async ({ code, output, file }) => {
  if (code === undefined) throw new Error("The README has no ts block with a text block right after it.");
  const options = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    verbatimModuleSyntax: true,
  };
  writeFileSync(
    join(project, `${file}.mjs`),
    ts.transpileModule(code, { compilerOptions: options }).outputText,
  );
  const result = await runProgram(process.execPath, [`${file}.mjs`], project);
  expect(result).toEqual({ code: 0, stdout: output, stderr: "" });
});

test("every example is correct TypeScript", () => {
  const files = examples.flatMap(({ code, file }) => {
    if (code === undefined) return [];
    const path = join(project, `${file}.mts`);
    writeFileSync(path, code);
    return [path];
  });
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    typeRoots: [join(root, "node_modules", "@types")],
    types: ["node"],
  });
  const diagnostics = ts.getPreEmitDiagnostics(program);
  const text = ts.formatDiagnostics(diagnostics, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => project,
    getNewLine: () => "\n",
  });
  expect(text).toBe("");
});
