import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { CheckResult } from "./finding.ts";
import { watchPaths } from "./watch-paths.ts";

// Many cases: a busy machine may need longer than the usual limit.
vi.setConfig({ testTimeout: 60_000 });

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
  it("checks again when content changes, and for nothing else (F113)", async () => {
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

  it("ends at once when it is already asked to", async () => {
    const dir = mkdtempSync(join(root, "once-"));
    writeFileSync(join(dir, "a.md"), "x");
    const results = new Results();
    await watchPaths([dir], { signal: AbortSignal.abort(), onResult: results.add, onError: results.fail });
    expect(results.all).toHaveLength(1);
  });
});
