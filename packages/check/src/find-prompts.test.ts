import { execFileSync, spawn } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkPaths, type CheckOptions } from "./check-paths.ts";
import { CheckPathError } from "./errors.ts";
import { findPrompts, findRoots } from "./find-prompts.ts";
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

describe("a folder that is only called prompts, with prompts of its own and config folders in it", () => {
  it("is checked with what each prompt is personalised with", async () => {
    const dir = writeFolder({
      "prompts/plain.md": "$name",
      "prompts/writer/prompts/x.md": "$name $t",
      "prompts/writer/config/journal.json": journal,
      "prompts/writer/templates/t.md": "T",
      "prompts/editor/prompts/y.md": "$u",
      "prompts/editor/templates/u.md": "U",
      "prompts/editor/templates/unused.md": "V $v",
      "prompts/editor/templates/v.md": "",
      "prompts/editor/README.md": "$no",
    });
    const at = (path: string): string => join(dir, "prompts", path);
    for (const path of ["", "prompts"]) {
      const { findings } = await checkPaths([join(dir, path)]);
      expect(findings.map(({ file, code }) => [file, code])).toEqual([
        [at("editor/templates/unused.md"), "unused-template"],
        [at("editor/templates/v.md"), "unused-template"],
        [at("plain.md"), "undefined-variable"],
      ]);
      expect(findRoots([join(dir, path)])).toEqual([dir, at("editor"), at("writer")]);
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

const identity = {
  "config/journal.json": JSON.stringify({ identity: { name: "Ada Okafor", preferred: "Ada" } }),
};

describe("paths", () => {
  it("may be a folder of config folders, each of which is checked as such, and nothing else in it", async () => {
    const dir = writeFolder({
      "README.md": "$no",
      "notes/more.md": "$no",
      "one/README.md": "$no",
      "one/prompts/a.md": "$t $preferred",
      "one/templates/t.md": "T",
      "one/config/journal.json": identity["config/journal.json"],
      "deep/er/two/prompts/sub/b.md": "$preferred",
      "deep/er/two/prompts/sub/prompts/c.md": "c",
      "empty/prompts/none.txt": "x",
      "empty/docs/guide.md": "$no",
      "node_modules/x/prompts/d.md": "$no",
    });
    symlinkSync(join(dir, "deep", "er", "two"), join(dir, "again"));
    symlinkSync("loop", join(dir, "loop"));
    const elsewhere = writeFolder({ ...identity, "prompts/e.md": "$preferred $oops" });
    symlinkSync(elsewhere, join(dir, "three"));
    const link = join(writeFolder({}), "link");
    symlinkSync(dir, link);
    for (const base of [dir, link]) {
      const { findings, files } = await checkPaths([base]);
      expect(findings.map(({ file, code }) => `${file.slice(base.length + 1)} ${code}`)).toEqual([
        "deep/er/two/prompts/sub/b.md undefined-variable",
        "three/prompts/e.md undefined-variable",
      ]);
      expect(files.map((file) => file.slice(base.length + 1)).sort()).toEqual([
        "deep/er/two/prompts/sub/b.md",
        "deep/er/two/prompts/sub/prompts/c.md",
        "one/config/journal.json",
        "one/prompts/a.md",
        "one/templates/t.md",
        "three/config/journal.json",
        "three/prompts/e.md",
      ]);
    }
  });

  it("that are pipes are read where they are named, and told of in a folder", async () => {
    const dir = writeFolder({ "prompts/a.md": "$one", "templates/u.md": "u" });
    for (const name of ["prompts/b.md", "templates/t.md"])
      execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(dir, name)]);
    const { findings } = await checkPaths([dir]);
    const told = findings.map(
      ({ file, code, message }) => `${file.slice(dir.length + 1)} ${code}: ${message}`,
    );
    expect(told).toEqual([
      expect.stringMatching(/^prompts\/a\.md undefined-variable/),
      expect.stringMatching(
        /^prompts\/b\.md unreadable-file: this is a pipe, a socket or a device, and no file; /,
      ),
      expect.stringMatching(/^templates\/t\.md unreadable-file: this is a pipe/),
    ]);
    const named = join(dir, "prompts", "b.md");
    const writer = spawn("sh", ["-c", 'printf "%s" "\\$two" > "$1"', "sh", named]);
    expect((await checkPaths([named])).findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^\$two is not defined/),
    ]);
    writer.kill();
  });

  it.each(["nowhere", "itself"])("that are links to nothing are no absent ones: %s", async (target) => {
    const reason =
      target === "nowhere"
        ? /is a link to nowhere, which is not there; correct the link, or make what it leads to$/
        : /symbolic links lead in a circle; correct the link/;
    for (const name of ["templates", "prompts"]) {
      const dir = writeFolder({ "p/a.md": "$t", "README.md": "$t" });
      for (const link of ["templates", "prompts"])
        symlinkSync(link === name ? (target === "nowhere" ? target : link) : "p", join(dir, link));
      await expect(checkPaths([dir])).rejects.toMatchObject({
        code: "check-path",
        path: join(dir, name),
        message: expect.stringMatching(reason) as string,
      });
    }
    const dir = writeFolder({ "prompts/a.md": "fine", "config/x": "" });
    symlinkSync(target === "nowhere" ? target : "journal.json", join(dir, "config", "journal.json"));
    const { findings } = await checkPaths([dir]);
    expect(findings).toEqual([
      expect.objectContaining({
        code: "unreadable-file",
        file: join(dir, "config", "journal.json"),
        message: expect.stringMatching(reason) as string,
      }),
    ]);
  });

  it("that cannot be read are told in words, whichever they are", async () => {
    const dir = writeFolder({ "prompts/a.md": "$t", "templates/t.md": "T", "file.md": "x" });
    const at = (name: string): string => join(dir, name);
    symlinkSync("loop", at("loop"));
    symlinkSync("loop.md", at("prompts/loop.md"));
    symlinkSync("nowhere.md", at("templates/gone.md"));
    const { findings } = await checkPaths([dir]);
    expect(
      findings.map(({ file, code, message }) => `${file.slice(dir.length + 1)} ${code}: ${message}`),
    ).toEqual([
      "prompts/loop.md unreadable-file: its symbolic links lead in a circle; correct the link, or name the file itself",
      "templates/gone.md unreadable-file: this is a link to nowhere.md, which is not there; correct the link, or make what it leads to",
    ]);
    const calls: readonly [string, CheckOptions, string][] = [
      [at("absent"), {}, "absent: there is no such file or folder; check the path"],
      [
        at("file.md/x"),
        {},
        "file.md/x: there is no such file or folder: a part of the path is no folder; check the path",
      ],
      [
        at("loop"),
        {},
        "loop: its symbolic links lead in a circle; correct the link, or name the file itself",
      ],
      [at("x".repeat(300)), {}, "the name is longer than the file system allows; give a shorter one"],
      [dir, { templatesDir: at("absent") }, "absent: there is no such folder; check the path"],
      [dir, { templatesDir: at("file.md") }, "file.md: this is a file; name a folder"],
      [dir, { journalPath: at("absent.json") }, "absent.json: there is no such file; check the path"],
      [dir, { journalPath: dir }, "this is a folder; name a file in it"],
    ];
    for (const [path, options, message] of calls) {
      const error: unknown = await checkPaths([path], options).catch((reason: unknown) => reason);
      expect(CheckPathError.isInstance(error)).toBe(true);
      expect(String(error)).toContain(message);
    }
  });

  it("may be a config folder, its prompts, one file, or a folder of files, and find what stands beside them", async () => {
    const dir = writeFolder({
      ...identity,
      "prompts/sub/a.md": "$t $preferred",
      "templates/t.md": "T",
      "README.md": "$no",
    });
    for (const path of [dir, join(dir, "prompts"), join(dir, "prompts/sub"), join(dir, "prompts/sub/a.md")]) {
      const { findings, files } = await checkPaths([path]);
      expect(findings).toEqual([]);
      expect(files).toHaveLength(3);
    }
    const loose = writeFolder({
      "a.md": "$preferred",
      "deep/b.md": "b",
      "node_modules/c.md": "$no",
      ".git/d.md": "$no",
    });
    const { findings, files } = await checkPaths([loose]);
    expect(files).toHaveLength(2);
    expect(findings.map(({ code }) => code)).toEqual(["undefined-variable"]);
    const places = { templatesDir: join(dir, "templates"), journalPath: join(dir, "config/journal.json") };
    expect((await checkPaths([loose], places)).findings).toEqual([]);
  });

  it("hold nothing of the folders around them, whatever links to these", async () => {
    const dir = writeFolder({
      "a/prompts/a.md": "$name",
      "a/config/journal.json": '{"identity": {"name": "Ada"}}',
      "b/prompts/b.md": "$other",
      "elsewhere/c.md": "$name",
    });
    symlinkSync("../..", join(dir, "a", "prompts", "loop"));
    symlinkSync("../../elsewhere", join(dir, "a", "prompts", "shared"));
    symlinkSync("../b", join(dir, "elsewhere", "b"));
    symlinkSync("..", join(dir, "elsewhere", "up"));
    const names = async (path: string): Promise<string[]> =>
      (await checkPaths([join(dir, path)])).files.map((file) => file.slice(dir.length + 1));
    const own = ["a/config/journal.json", "a/prompts/a.md"];
    expect(await names("a")).toEqual([...own, "a/prompts/shared/b/prompts/b.md", "a/prompts/shared/c.md"]);
    rmSync(join(dir, "elsewhere", "b"));
    expect(await names("a")).toEqual([...own, "a/prompts/shared/c.md"]);
    expect(await names("a/prompts")).toEqual([...own, "a/prompts/shared/c.md"]);
  });

  it("may be symbolic links, also ones that lead in a circle", async () => {
    const dir = writeFolder({ ...identity, "prompts/a.md": "$preferred" });
    symlinkSync(join(dir, "prompts"), join(dir, "prompts", "again"));
    const link = join(writeFolder({}), "link");
    symlinkSync(dir, link);
    const { files, findings } = await checkPaths([link]);
    expect(findings).toEqual([]);
    expect(files).toEqual([join(link, "config/journal.json"), join(link, "prompts/a.md")]);
  });

  it("that are not there, or hold no prompt, are a fault of the call", async () => {
    const empty = writeFolder({ "notes.txt": "x" });
    await expect(checkPaths([join(empty, "absent")])).rejects.toThrow(CheckPathError);
    await expect(checkPaths([empty])).rejects.toThrow(/no prompt files \(\*\.md\) here/);
  });
});
