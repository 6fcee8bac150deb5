import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { CheckResult } from "./finding.ts";
import { watchPaths } from "./watch-paths.ts";

const root = mkdtempSync(join(tmpdir(), "promptfold-watch-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});

/** Collects results, and lets a test wait for the next one. */
class Results {
  readonly all: CheckResult[] = [];
  readonly errors: unknown[] = [];
  #wake: (() => void) | undefined;

  readonly add = (result: CheckResult): void => {
    this.all.push(result);
    this.#wake?.();
  };
  readonly fail = (error: unknown): void => {
    this.errors.push(error);
    this.#wake?.();
  };

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

describe("watchPaths", () => {
  it("checks again when content changes, and for nothing else", async () => {
    const prompts = join(root, "prompts");
    const prompt = join(prompts, "a.md");
    mkdirSync(join(root, "config"));
    mkdirSync(prompts);
    writeFileSync(prompt, "$name");
    const results = new Results();
    const end = new AbortController();
    const watching = watchPaths([root], {
      signal: end.signal,
      // As a command with its report beside the prompts would.
      onResult: (result) => {
        writeFileSync(join(prompts, "report.json"), JSON.stringify(result.findings));
        results.add(result);
      },
      onError: results.fail,
      quietMs: 30,
    });
    await results.until(() => results.all.length === 1);
    expect(results.all[0]?.findings.map(({ code }) => code)).toEqual(["undefined-variable"]);

    utimesSync(prompt, new Date(0), new Date(0));
    writeFileSync(prompt, "$name");
    writeFileSync(join(prompts, "other.txt"), "x");
    writeFileSync(join(root, "config", "journal.json"), '{"identity": {"name": "Ada"}}');
    await results.until(() => results.all.length === 2);
    expect(results.all[1]?.findings).toEqual([]);

    writeFileSync(prompt, "fine");
    await results.until(() => results.all.length === 3);
    unlinkSync(prompt);
    await results.until(() => results.errors.length === 1);
    expect(String(results.errors[0])).toContain("no prompt files");
    writeFileSync(join(prompts, "b.md"), "$oops");
    await results.until(() => results.all.length === 4);
    expect(results.all[3]?.findings[0]?.file).toBe(join(prompts, "b.md"));

    end.abort();
    await watching;
    expect(results.all).toHaveLength(4);
  });

  it("follows the config folders of a folder, also new ones and through links, and a named identity", async () => {
    const dir = mkdtempSync(join(root, "many-"));
    const elsewhere = mkdtempSync(join(root, "elsewhere-"));
    for (const folder of [join(dir, "one"), elsewhere])
      mkdirSync(join(folder, "prompts"), { recursive: true });
    writeFileSync(join(dir, "one", "prompts", "a.md"), "$name");
    writeFileSync(join(elsewhere, "prompts", "b.md"), "$name");
    symlinkSync(elsewhere, join(dir, "two"));
    writeFileSync(join(dir, "README.md"), "$no");
    const journalPath = join(root, "me.json");
    writeFileSync(journalPath, "{}");
    const results = new Results();
    const end = new AbortController();
    const watching = watchPaths([dir], {
      signal: end.signal,
      onResult: results.add,
      onError: results.fail,
      quietMs: 30,
      journalPath,
    });
    const names = (index: number): string[] | undefined =>
      results.all[index]?.findings.map(({ file }) => file.slice(dir.length + 1));
    await results.until(() => results.all.length === 1);
    expect(names(0)).toEqual(["one/prompts/a.md", "two/prompts/b.md"]);
    writeFileSync(join(elsewhere, "prompts", "b.md"), "fine");
    await results.until(() => results.all.length === 2);
    expect(names(1)).toEqual(["one/prompts/a.md"]);
    mkdirSync(join(dir, "deep", "three", "prompts"), { recursive: true });
    writeFileSync(join(dir, "deep", "three", "prompts", "c.md"), "$oops");
    await results.until(() => results.all.length === 3);
    expect(names(2)).toEqual(["deep/three/prompts/c.md", "one/prompts/a.md"]);
    writeFileSync(journalPath, '{"identity": {"name": "Ada"}}');
    await results.until(() => results.all.length === 4);
    expect(names(3)).toEqual(["deep/three/prompts/c.md"]);
    end.abort();
    await watching;
    expect(results.errors).toEqual([]);
  });

  it.each([
    ["a file", "prompts/a.md", "prompts/a.md"],
    ["a file whose folders go", "prompts/a.md", "."],
    ["a folder", ".", "."],
    ["a folder in it", ".", "prompts"],
  ])("goes on when what is watched goes and comes back: %s", async (_, watched, gone) => {
    const dir = join(mkdtempSync(join(root, "away-")), "garden");
    const prompt = join(dir, "prompts", "a.md");
    const write = (text: string): void => {
      mkdirSync(join(dir, "prompts"), { recursive: true });
      writeFileSync(prompt, text);
    };
    write("$one");
    const results = new Results();
    const end = new AbortController();
    const options = { signal: end.signal, onResult: results.add, onError: results.fail, quietMs: 30 };
    const watching = watchPaths([join(dir, watched)], options);
    await results.until(() => results.all.length === 1);
    for (let round = 1; round <= 3; round += 1) {
      rmSync(join(dir, gone), { recursive: true });
      await results.until(() => results.errors.length === round);
      expect(String(results.errors.at(-1))).toMatch(/there is no such file or folder|no prompt files/);
      // The text that it had: whoever read of the error wants to know that all is as it was.
      write(results.all.at(-1)?.sources.get(prompt) ?? "");
      await results.until(() => results.all.length === 2 * round);
      write(`$round${round}`);
      await results.until(() => results.all.length === 2 * round + 1);
      expect(results.all.at(-1)?.findings[0]?.message).toContain(`$round${round} is not defined`);
    }
    end.abort();
    await watching;
    expect(results.errors).toHaveLength(3);
  });

  it.each([
    ["templates", (dir: string) => dir, "templates/t.md", "."],
    ["config", (dir: string) => join(dir, "prompts", "a.md"), "config/journal.json", "."],
    ["prompts", (dir: string) => dir, "prompts/a.md", "."],
    ["prompts", (dir: string) => join(dir, "prompts", "a.md"), "prompts/a.md", "."],
    ["templates/t.md", (dir: string) => join(dir, "prompts"), "templates/t.md", "t.md"],
  ])("goes on when what a link leads to goes and comes back: %s", async (linked, watched, file, gone) => {
    const dir = join(mkdtempSync(join(root, "linked-")), "garden");
    const elsewhere = mkdtempSync(join(root, "target-"));
    const target = join(elsewhere, "deep", "target");
    const real = linked.endsWith(".md") ? join(target, "t.md") : join(target, basename(file));
    const write = (text: string): void => {
      mkdirSync(target, { recursive: true });
      writeFileSync(real, text);
    };
    const texts = (name: string): string =>
      file.endsWith(".json") ? `{"identity": {"${name}": "x"}}` : `$${name}`;
    for (const folder of ["prompts", "templates", "config"])
      if (folder !== linked) mkdirSync(join(dir, folder), { recursive: true });
    write(texts("one"));
    symlinkSync(linked.endsWith(".md") ? real : target, join(dir, linked));
    if (linked !== "prompts") writeFileSync(join(dir, "prompts", "a.md"), "$t $one $two $three");
    const results = new Results();
    const end = new AbortController();
    const options = { signal: end.signal, onResult: results.add, onError: results.fail, quietMs: 30 };
    const watching = watchPaths([watched(dir)], options);
    const holds = (text: string): boolean => results.all.at(-1)?.sources.get(join(dir, file)) === text;
    await results.until(() => holds(texts("one")));
    for (const name of ["two", "three"]) {
      const told = results.all.length + results.errors.length;
      rmSync(gone === "." ? join(elsewhere, "deep") : join(target, gone), { recursive: true });
      await results.until(() => results.all.length + results.errors.length > told);
      write(texts(name));
      await results.until(() => holds(texts(name)));
      write(texts("later"));
      await results.until(() => holds(texts("later")));
    }
    end.abort();
    await watching;
  });

  it.each(["prompts/a.md", "prompts", "."])(
    "sees templates and an identity that come later: %s",
    async (path) => {
      const dir = mkdtempSync(join(root, "later-"));
      mkdirSync(join(dir, "prompts"));
      writeFileSync(join(dir, "prompts", "a.md"), "$greeting $name");
      const results = new Results();
      const end = new AbortController();
      const options = { signal: end.signal, onResult: results.add, onError: results.fail, quietMs: 30 };
      const watching = watchPaths([join(dir, path)], options);
      await results.until(() => results.all.length === 1);
      expect(results.all[0]?.findings).toHaveLength(2);
      mkdirSync(join(dir, "templates"));
      writeFileSync(join(dir, "templates", "greeting.md"), "Hello");
      await results.until(() => results.all.at(-1)?.findings.length === 1);
      mkdirSync(join(dir, "config"));
      writeFileSync(join(dir, "config", "journal.json"), '{"identity": {"name": "Ada"}}');
      await results.until(() => results.all.at(-1)?.findings.length === 0);
      end.abort();
      await watching;
      expect(results.errors).toEqual([]);
    },
  );

  it.each([".", "prompts", "prompts/a.md"])("waits for the first prompt: %s", async (path) => {
    const dir = mkdtempSync(join(root, "first-"));
    if (path !== ".") mkdirSync(join(dir, "prompts"));
    const results = new Results();
    const end = new AbortController();
    const options = { signal: end.signal, onResult: results.add, onError: results.fail, quietMs: 30 };
    const watching = watchPaths([join(dir, path)], options);
    await results.until(() => results.errors.length === 1);
    expect(String(results.errors[0])).toMatch(/no prompt files|there is no such file/);
    mkdirSync(join(dir, "prompts"), { recursive: true });
    writeFileSync(join(dir, "prompts", "a.md"), "$t");
    await results.until(() => results.all.at(-1)?.findings.length === 1);
    mkdirSync(join(dir, "templates"));
    writeFileSync(join(dir, "templates", "t.md"), "T");
    await results.until(() => results.all.at(-1)?.findings.length === 0);
    end.abort();
    await watching;
    expect(results.errors).toHaveLength(1);
  });

  it("waits for no folder that is not there", async () => {
    const dir = mkdtempSync(join(root, "none-"));
    writeFileSync(join(dir, "a.md"), "x");
    const results = new Results();
    const { signal } = new AbortController();
    const options = { signal, onResult: results.add, onError: results.fail };
    const absent = join(dir, "absent");
    for (const path of [absent, join(absent, "a.md")])
      await expect(watchPaths([path], options)).rejects.toThrow("there is no such file or folder");
    const places = { ...options, templatesDir: absent };
    await expect(watchPaths([join(dir, "a.md")], places)).rejects.toThrow("there is no such folder");
    expect(results).toMatchObject({ all: [], errors: [] });
  });

  it("follows no link in a circle", async () => {
    const dir = mkdtempSync(join(root, "circle-"));
    for (const name of ["a", "b"]) mkdirSync(join(dir, name, "prompts"), { recursive: true });
    const prompt = join(dir, "a", "prompts", "a.md");
    writeFileSync(prompt, "$one");
    writeFileSync(join(dir, "b", "prompts", "b.md"), "fine");
    symlinkSync("../..", join(dir, "a", "prompts", "loop"));
    symlinkSync("../../b", join(dir, "a", "prompts", "other"));
    symlinkSync("../../a", join(dir, "b", "prompts", "other"));
    const results = new Results();
    const end = new AbortController();
    const options = { signal: end.signal, onResult: results.add, onError: results.fail, quietMs: 30 };
    const watching = watchPaths([dir], options);
    await results.until(() => results.all.length === 1);
    symlinkSync("..", join(dir, "b", "prompts", "again"));
    symlinkSync("self.txt", join(dir, "b", "prompts", "self.txt"));
    writeFileSync(prompt, "$two");
    await results.until(() => results.all.length === 2);
    writeFileSync(prompt, "$three");
    await results.until(() => results.all.length === 3);
    end.abort();
    await watching;
    expect(results.errors).toEqual([]);
  });

  it("ends at once when it is already asked to", async () => {
    const dir = mkdtempSync(join(root, "once-"));
    writeFileSync(join(dir, "a.md"), "x");
    const results = new Results();
    await watchPaths([dir], { signal: AbortSignal.abort(), onResult: results.add, onError: results.fail });
    expect(results.all).toHaveLength(1);
  });
});
