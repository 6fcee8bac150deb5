import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";
import { afterAll, expect, it } from "vitest";
import { GuideFolder } from "./guide-folder.ts";
import { listPackages, root, type WorkspacePackage } from "./list-packages.ts";

const text = readFileSync(join(root, "docs/claims.md"), "utf8");
/** The second cell of every row. */
const cells = [...text.matchAll(/^\|[^|]+\|([^|]+)\|[^|]+\|$/gm)]
  .map(([, cell = ""]) => cell.trim())
  .filter((cell) => cell !== "command" && !/^-+$/.test(cell));
const commands = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command));
const folder = new GuideFolder();
afterAll(() => {
  folder.remove();
});

it("every claim has a command that runs as it stands, or a page that shows one", () => {
  expect(cells.length).toBeGreaterThan(20);
  for (const cell of cells) expect(cell).toMatch(/^`|^\[[\w.]+\]\([\w.]+\)$/);
  for (const command of commands) {
    expect(command).toMatch(/^(?:npm run|npx vitest run|npx promptfold) /);
    expect(command).not.toMatch(/\b[A-Z]{4,}\b/);
  }
});

it("every claim names a command that exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  for (const command of commands) {
    const [, , script = "", , argument = ""] = command.split(" ");
    if (!command.startsWith("npm run")) continue;
    expect(scripts, command).toHaveProperty(script);
    if (script === "bench") expect(existsSync(join(root, `bench/${argument}.mjs`)), command).toBe(true);
    if (script === "typecheck") findPackage(argument.replace("--filter=", ""), command);
  }
});

it("every claim that a test proves names a test file that exists and proves it when it runs", () => {
  for (const command of commands.filter((each) => each.startsWith("npx vitest"))) {
    const [, project = "", name] = /--project (\S+)(?: (\S+))?$/.exec(command) ?? [];
    const files = listTestFiles(findPackage(project, command));
    if (name === undefined) continue;
    const file = files.find((each) => basename(each) === `${name}.test.ts`);
    expect(file, command).toBeDefined();
    // Vitest erases types: what a test says of them alone holds whatever they are.
    expect(testsOfTypesAlone(file ?? ""), command).toEqual([]);
  }
});

it("every claim that the type check proves names a package whose tests speak of types", () => {
  const names = commands.flatMap((command) => /typecheck -- --filter=(\S+)$/.exec(command)?.[1] ?? []);
  expect(names).not.toEqual([]);
  for (const name of names) {
    const files = listTestFiles(findPackage(name, name));
    expect(files.flatMap(testsOfTypesAlone), name).not.toEqual([]);
  }
});

it("every call of the command does what it says, on the journal that the demonstration leaves", async () => {
  symlinkSync(join(root, "examples"), join(folder.path, "examples"));
  mkdirSync(join(folder.path, ".promptfold"));
  expect(await folder.run("npx promptfold demo")).toMatchObject({ exitCode: 0 });
  const calls = commands.filter((command) => command.startsWith("npx promptfold"));
  expect(calls.length).toBeGreaterThan(5);
  const printed: string[] = [];
  for (const command of calls) {
    const run = await folder.run(command);
    const isDoctor = command.includes("doctor");
    expect({ command, ...run }).toMatchObject({ exitCode: isDoctor ? 1 : 0 });
    printed.push(run.printed);
  }
  const all = printed.join("\n");
  for (const shown of [
    "the stamp of request @15",
    "Request @15 is a prefix of request @22.",
    "replayed from the state kept at @15",
    "a clock in the prompt",
    "every law holds",
  ])
    expect(all).toContain(shown);
});

function findPackage(name: string, command: string): WorkspacePackage {
  const found = listPackages().find(({ manifest }) => manifest.name === name);
  if (found === undefined) throw new Error(`${command}: there is no package ${name}`);
  return found;
}

/** The test files of a package, as absolute paths. */
function listTestFiles({ path }: WorkspacePackage): string[] {
  // A package without sources has its tests beside its dependencies, which are not looked through.
  const recursive = existsSync(join(path, "src"));
  const source = recursive ? join(path, "src") : path;
  return readdirSync(source, { recursive, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join(source, file));
}

/** The tests of a file that expect something of types, and nothing else. */
function testsOfTypesAlone(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(?:it|test)\b/.test(node.expression.getText())) {
      const code = node.getText();
      if (code.includes("expectTypeOf") && !/\bexpect\(/.test(code))
        found.push(node.arguments[0]?.getText() ?? "");
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2023, true));
  return found;
}
