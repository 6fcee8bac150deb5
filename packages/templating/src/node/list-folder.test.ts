import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isListed, listMarkdown } from "./list-folder.ts";
import { listPrompts } from "./list-prompts.ts";

function folder(...paths: readonly string[]): string {
  const dir = mkdtempSync(join(tmpdir(), "promptfold-list-"));
  onTestFinished(() => {
    rmSync(dir, { recursive: true });
  });
  for (const path of paths) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), "text");
  }
  return dir;
}

describe("a folder that a link leads to as well", () => {
  it("keeps the names that it has without the link, however deep it lies", () => {
    const dir = folder("weekly/r.md", "z/deep/s.md", "a/t.md");
    symlinkSync("weekly", join(dir, "archive"));
    symlinkSync("../z/deep", join(dir, "a", "again"));
    expect(listPrompts(dir).prompts.map(({ name }) => name)).toEqual(["a/t", "weekly/r", "z/deep/s"]);
  });

  it("is named after the link when it lies elsewhere, links in it included", () => {
    const dir = folder("p/r.md", "elsewhere/e.md", "more/m.md");
    symlinkSync("../elsewhere", join(dir, "p", "shared"));
    symlinkSync("../more", join(dir, "elsewhere", "more"));
    const { prompts, problems } = listPrompts(join(dir, "p"));
    expect(prompts.map(({ name }) => name)).toEqual(["r", "shared/e", "shared/more/m"]);
    expect(problems).toEqual([]);
  });
});

describe("a link in a folder that leads nowhere", () => {
  it("is a problem when it would be a folder or a prompt", () => {
    const dir = folder("r.md");
    for (const [name, target] of [
      ["weekly", "../gone"],
      ["loop", "loop"],
      ["notes.txt", "gone.txt"],
      ["up", ".."],
      [".#r", "ada@host.4711:1700000000"],
    ] as const)
      symlinkSync(target, join(dir, name));
    const { files, problems } = listMarkdown(dir);
    expect(files).toEqual([join(dir, "r.md")]);
    expect(problems.map(({ message }) => message.slice(dir.length + 1))).toEqual([
      "loop: its symbolic links lead in a circle; correct the link, or name the file itself",
      "weekly: this is a link to ../gone, which is not there; correct the link, or make what it leads to",
    ]);
    expect(listPrompts(dir).problems.map(({ name }) => name)).toEqual(["loop", "weekly"]);
  });
});

describe("what a listing leaves out", () => {
  it("is what begins with a dot, is installed or is built", () => {
    const names = ["a.md", "weekly", ".venv", ".cache", ".a.md", "node_modules", "dist", "distance"];
    expect(names.filter(isListed)).toEqual(["a.md", "weekly", "distance"]);
  });
});
