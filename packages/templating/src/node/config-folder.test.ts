import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { nameOrigin, placeInConfig } from "./config-folder.ts";
import { loadPromptSections } from "./load-prompt.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "promptfold-config-")));
afterAll(() => {
  rmSync(root, { recursive: true });
});
const at = (path: string): string => join(root, path);
for (const path of [
  "g/prompts/weekly/review.md",
  "g/templates/t.md",
  "g/prompts/deep/prompts/x.md",
  "g/prompts/deep/templates/u.md",
  "loose/note.md",
  "prompts/writer/prompts/w.md",
  "prompts/writer/config/journal.json",
  "plain/prompts/deep/prompts/y.md",
]) {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), "text");
}
symlinkSync("g/prompts/weekly", at("link"));

function inFolder<Result>(folder: string, run: () => Result): Result {
  const before = process.cwd();
  process.chdir(at(folder));
  try {
    return run();
  } finally {
    process.chdir(before);
  }
}

describe("a name in events", () => {
  const names: readonly [path: string, name: string][] = [
    ["g/prompts/weekly/review.md", "prompts/weekly/review.md"],
    ["link/review.md", "prompts/weekly/review.md"],
    ["g/templates/t.md", "templates/t.md"],
    ["g/prompts/deep/prompts/x.md", "prompts/deep/prompts/x.md"],
    ["prompts/writer/prompts/w.md", "prompts/w.md"],
    ["plain/prompts/deep/prompts/y.md", "prompts/y.md"],
    ["loose/note.md", "note.md"],
  ];

  it.each(names)("is one for a path, wherever one stands, and for a name in a folder: %s", (path, name) => {
    expect(nameOrigin(at(path))).toBe(name);
    expect(inFolder(".", () => nameOrigin(path))).toBe(name);
    const file = path.slice(path.lastIndexOf("/") + 1);
    expect(inFolder(dirname(path), () => nameOrigin(file))).toBe(name);
    const { sections } = loadPromptSections(file, { baseDir: dirname(at(path)) });
    expect(sections.map(({ origin }) => origin.file)).toEqual([name]);
  });
});

describe("the config folder of a path", () => {
  it("is named as the path is", () => {
    const rootOf = (path: string): string | undefined => placeInConfig(path)?.root;
    expect(rootOf(at("g/prompts/deep/prompts"))).toBe(at("g"));
    expect(rootOf(at("prompts/writer/prompts"))).toBe(at("prompts/writer"));
    expect(rootOf(at("loose"))).toBe(undefined);
    expect(rootOf(at("link"))).toBe(at("g"));
    expect(inFolder(".", () => rootOf("g/prompts/weekly"))).toBe("g");
    expect(inFolder("g", () => rootOf("prompts/weekly"))).toBe(".");
    expect(inFolder("g/prompts/weekly", () => rootOf("."))).toBe(join("..", ".."));
  });
});
