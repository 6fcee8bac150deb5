import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkPaths } from "./check-paths.ts";
import { findPrompts } from "./find-prompts.ts";
import { writeFolder } from "./testing/write-folder.ts";

const journal = '{"identity": {"name": "Ada"}}';

describe("a config folder in the prompts of another one", () => {
  it("is part of the outer one, whichever path is checked, when that personalises", async () => {
    const dir = writeFolder({
      "config/journal.json": journal,
      "templates/t.md": "T",
      "prompts/a.md": "$t",
      "prompts/deep/prompts/x.md": "$name",
      "prompts/deep/config/journal.json": "{}",
    });
    for (const path of ["", "prompts", "prompts/deep", "prompts/deep/prompts", "prompts/deep/prompts/x.md"]) {
      expect(findPrompts([join(dir, path)]).map(({ root }) => root)).toEqual([dir]);
      expect((await checkPaths([join(dir, path)])).findings).toEqual([]);
    }
  });

  it("stands for itself when the outer one is only called prompts", async () => {
    const dir = writeFolder({
      "prompts/writer/prompts/x.md": "$name",
      "prompts/writer/config/journal.json": journal,
    });
    const root = join(dir, "prompts", "writer");
    for (const path of ["", "prompts", "prompts/x.md"]) {
      expect(findPrompts([join(root, path)]).map((group) => group.root)).toEqual([root]);
      expect((await checkPaths([join(root, path)])).findings).toEqual([]);
    }
  });
});

describe("a link to a folder among prompts", () => {
  it("takes no names from the folder that it leads to", async () => {
    const dir = writeFolder({ "prompts/weekly/r.md": "r" });
    symlinkSync("weekly", join(dir, "prompts", "archive"));
    expect((await checkPaths([dir])).files).toEqual([join(dir, "prompts", "weekly", "r.md")]);
  });

  it.each([
    ["../gone", /weekly: this is a link to \.\.\/gone, which is not there; correct the link/],
    ["weekly", /weekly: its symbolic links lead in a circle; correct the link/],
  ])("is told of when it leads nowhere: %s", async (target, message) => {
    const dir = writeFolder({ "prompts/a.md": "fine" });
    symlinkSync(target, join(dir, "prompts", "weekly"));
    await expect(checkPaths([dir])).rejects.toMatchObject({
      code: "check-path",
      message: expect.stringMatching(message) as string,
    });
  });
});
