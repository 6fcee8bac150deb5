import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { danglingLink, followLinks, isThere } from "./follow-links.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "promptfold-links-")));
afterAll(() => {
  rmSync(root, { recursive: true });
});
const at = (...parts: string[]): string => join(root, ...parts);
mkdirSync(at("real", "deep"), { recursive: true });
writeFileSync(at("real", "a.md"), "a");
symlinkSync("real", at("folder"));
symlinkSync("../real/a.md", at("real", "again.md"));
symlinkSync(at("folder", "again.md"), at("twice.md"));
symlinkSync("real/deep/..", at("up"));
symlinkSync("nowhere", at("dangling"));
symlinkSync("real/new.md", at("new.md"));
symlinkSync("dangling", at("second"));
symlinkSync("circle", at("circle"));

describe("followLinks", () => {
  it.each([
    ["real/a.md", "real/a.md", []],
    ["folder/a.md", "real/a.md", ["folder"]],
    ["twice.md", "real/a.md", ["twice.md", "folder", "real/again.md"]],
    ["up/a.md", "real/a.md", ["up"]],
  ])("gives what the file system gives for what is there: %s", (path, real, links) => {
    const followed = followLinks(at(path));
    expect(followed).toMatchObject({ path: at(real), isThere: true });
    expect(followed?.path).toBe(realpathSync(at(path)));
    expect(followed?.links.map((link) => link.path)).toEqual(links.map((link) => at(link)));
  });

  it.each([
    ["real/none.md", "real/none.md"],
    ["folder/none/b.md", "real/none/b.md"],
    ["new.md", "real/new.md"],
    ["dangling/t.md", "nowhere/t.md"],
    ["second/t.md", "nowhere/t.md"],
  ])("says where it would be for what is not there: %s", (path, real) => {
    expect(followLinks(at(path))).toMatchObject({ path: at(real), isThere: false });
  });

  it("knows a circle", () => {
    expect(followLinks(at("circle"))).toBeUndefined();
    expect(followLinks(at("circle", "a.md"))).toBeUndefined();
  });
});

describe("danglingLink", () => {
  it("names the link that leads to nothing, and no other", () => {
    expect(danglingLink(at("dangling", "t.md"))).toEqual({ path: at("dangling"), target: "nowhere" });
    expect(danglingLink(at("second"))).toEqual({ path: at("dangling"), target: "nowhere" });
    expect(danglingLink(at("new.md"))).toEqual({ path: at("new.md"), target: "real/new.md" });
    for (const path of ["real/a.md", "twice.md", "folder/none.md", "real/none.md", "circle"])
      expect(danglingLink(at(path))).toBeUndefined();
  });
});

describe("isThere", () => {
  it("takes a link for something, wherever it leads, and no name that a file system refuses", () => {
    expect([at("real"), at("dangling"), at("folder", "a.md")].map(isThere)).toEqual([true, true, true]);
    for (const path of [at("nowhere"), at("real", "a.md", "x"), at("x".repeat(5_000)), "a\0b"])
      expect(isThere(path)).toBe(false);
  });
});
