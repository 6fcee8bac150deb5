import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { GuideFolder, readGuideCommands, readGuideSteps } from "./guide-folder.ts";
import { listPublicPackages, root } from "./list-packages.ts";

const guide = readFileSync(join(root, "docs", "authors.md"), "utf8");
const steps = readGuideSteps(guide);
const folder = new GuideFolder();
afterAll(() => {
  folder.remove();
});

test("a reader who follows the guide sees what it shows", { timeout: 240_000 }, async () => {
  for (const step of steps) {
    if (step.kind === "file") {
      folder.write(step.path, step.text);
      expect(step.intro).toContain(`\`${step.path}\``);
    } else if (step.kind === "commands") {
      expect(await folder.runBlock(step.block, /error/)).toBe(step.block);
    } else {
      for (const name of ["prompts", "templates", "config"]) mkdirSync(join(folder.path, name));
    }
  }
});

test("every block of the guide is followed, and its CI runs what its reader ran", () => {
  const blocks = guide.match(/^```\w+/gm) ?? [];
  expect(steps).toHaveLength(blocks.length);
  expect(steps[0]).toEqual({
    kind: "install",
    commands: [
      "mkdir garden && cd garden",
      "npm install --save-dev promptfold",
      "mkdir prompts templates config",
    ],
  });
  const inConsole = steps.flatMap((step) => (step.kind === "commands" ? readGuideCommands(step.block) : []));
  const inCi = [...guide.matchAll(/- run: (npx .+)$/gm)].map(([, command = ""]) => command);
  expect(inCi).not.toEqual([]);
  expect(inConsole.map(({ command }) => command)).toEqual(expect.arrayContaining(inCi));
});

test("the files and schemas that the guide names are there", () => {
  const links = [...guide.matchAll(/\]\((\.\.?\/[^)#]+)\)/g)].map(([, link = ""]) => link);
  const schemas = [...guide.matchAll(/\.\/(node_modules\/@promptfold\/templating\/schemas\/[\w-]+\.json)/g)];
  expect(links.length).toBeGreaterThan(2);
  for (const link of links) expect(readFileSync(join(root, "docs", link), "utf8")).not.toBe("");
  const names = schemas.map(([, path = ""]) => path.replace(/.*\//, ""));
  expect([...new Set(names)].sort()).toEqual(["frontmatter.json", "journal.json"]);
  for (const [, path = ""] of schemas) {
    const schema = join(root, path.replace("node_modules/@promptfold", "packages"));
    expect(JSON.parse(readFileSync(schema, "utf8"))).toHaveProperty("$schema");
  }
});

test("the packages that the guide packs and the schemas of a clone are where it says", () => {
  const contributing = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const commands = [...`${guide}${contributing}`.matchAll(/npx pnpm (\S+) "(\S+)\.\.\." exec pnpm pack/g)];
  const packed = commands.map(([, , name]) => name);
  expect(packed).toEqual(["promptfold", "@promptfold/check", "@promptfold/fold"]);
  const names = listPublicPackages().map(({ manifest }) => manifest.name);
  // What a package only needs to be tested is no part of it, and is private.
  for (const [, filter = "", name = ""] of commands) {
    const chosen = listChosenPackages(filter, `${name}...`);
    expect(chosen).toContain(name);
    expect(names).toEqual(expect.arrayContaining(chosen));
  }
  const [, schemas = ""] = /`\.\.\/(packages\/[\w/]+schemas)\/`/.exec(guide) ?? [];
  expect(readdirSync(join(root, schemas)).sort()).toEqual(["frontmatter.json", "journal.json"]);
});

/** The packages that a filter of pnpm chooses. */
function listChosenPackages(filter: string, value: string): string[] {
  const pnpm = join(root, "node_modules", ".bin", "pnpm");
  const list = execFileSync(pnpm, [filter, value, "ls", "--depth", "-1", "--json"], { cwd: root });
  return (JSON.parse(list.toString()) as { name: string }[]).map(({ name }) => name);
}
