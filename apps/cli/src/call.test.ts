import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { promptfold } from "./testing/run-in-process.ts";
import { temporaryFolder } from "./testing/run-promptfold.ts";

describe("a call at fault or an input at fault ends with one line that says where and what to do", () => {
  const cases: readonly [what: string, args: readonly string[], exitCode: number, line: RegExp][] = [
    [
      "a missing file",
      ["sections", "missing.md"],
      1,
      /^error missing\.md: there is no such file; check the path$/,
    ],
    ["a folder for a file", ["render", "."], 1, /^error \.: this is a folder; name a file in it$/],
    [
      "broken frontmatter",
      ["sections", "broken.md"],
      1,
      /^error broken\.md:2:8: the frontmatter .+ the \[ that opens here never closes; add .+$/,
    ],
    [
      "an unclosed tag",
      ["sections", "unclosed.md"],
      1,
      /^error unclosed\.md:2:1: section "tone" .+; add <\/section> .+$/,
    ],
    [
      "templates that are not there",
      ["check", "unclosed.md", "--templates", "nope"],
      1,
      /^error nope: there is no such folder; check the path$/,
    ],
    [
      "the same",
      ["render", "unclosed.md", "--templates", "nope"],
      1,
      /^error nope: there is no such folder; check the path$/,
    ],
    [
      "an identity that is not there",
      ["check", "unclosed.md", "--identity", "nope"],
      1,
      /^error nope: there is no such file; check the path$/,
    ],
    [
      "a folder without prompts",
      ["check", "empty"],
      1,
      /^error empty: no prompt files .+; give a prompt file/,
    ],
    ["the same", ["types", "empty"], 1, /^error empty: no prompt files .+; give a prompt file/],
    [
      "links in a circle",
      ["render", "loop.md"],
      1,
      /^error loop\.md: its symbolic links lead in a circle; correct/,
    ],
    ["the same", ["check", "loop.md"], 1, /^error loop\.md: its symbolic links lead in a circle; correct/],
    [
      "a name too long",
      ["sections", "x".repeat(300)],
      1,
      /^error x+: the name is longer than .+; give a shorter one$/,
    ],
    [
      "a folder to write into",
      ["render", "plain.md", "--out", "empty"],
      1,
      /^error empty: this is a folder; name a file in it$/,
    ],
    [
      "a folder to write into that is not there",
      ["render", "plain.md", "--out", "nope/a"],
      1,
      /^error nope\/a: there is no folder nope to write into; make it/,
    ],
    [
      "a context that is no JSON",
      ["render", "plain.md", "--context", "broken.md"],
      1,
      /^error broken\.md:1:\d: not valid JSON: .+; /,
    ],
    ["no UTF-8", ["sections", "latin.md"], 1, /^error latin\.md: .+ not UTF-8 text; save it as UTF-8$/],
    [
      "a watch of what is read once",
      ["check", "-", "--watch"],
      2,
      /^error --watch needs a file to watch; standard input is read once$/,
    ],
    [
      "a path after --set NAME",
      ["check", "--set", "topic", "missing.md"],
      1,
      /^error missing\.md: there is no such file or folder; check the path$/,
    ],
    [
      "an unknown flag",
      ["sections", "--frob", "x"],
      2,
      /^error unknown option '--frob'; see promptfold sections --help$/,
    ],
    [
      "a misspelt flag",
      ["request", "--jornal", "x"],
      2,
      /Did you mean --journal\?.+see promptfold request --help$/,
    ],
    [
      "a missing argument",
      ["sections"],
      2,
      /^error missing required argument 'file'; see promptfold sections --help$/,
    ],
    [
      "a subcommand without its option",
      ["journal", "snapshot"],
      2,
      /^error required option '--journal <url>' not specified; see promptfold journal snapshot --help$/,
    ],
    [
      "an unknown subcommand",
      ["journal", "snapsht"],
      2,
      /^error unknown command 'snapsht'.+snapshot.+see promptfold journal --help$/,
    ],
    [
      "an unknown command",
      ["sectoins"],
      2,
      /^error unknown command 'sectoins'.+sections.+see promptfold --help$/,
    ],
    ["a command named like a prototype's member", ["__proto__"], 2, /^error unknown command '__proto__'/],
    ["a reserved key", ["sections", "-", "--fallback-key", "*"], 2, /^error "\*" cannot be a section key/],
    [
      "a journal that is not there",
      ["state", "--journal", "sqlite:nix.db"],
      1,
      /^error nix\.db: there is no journal here/,
    ],
    ["no journal URL", ["state", "--journal", "nix.db"], 2, /^error "nix\.db" is not a journal URL/],
    ["no source of events", ["request"], 2, /^error where are the events\? Give --journal .+ or --events/],
    [
      "an offset that is none",
      ["request", "--at", "x"],
      2,
      /an offset is a whole number from 1, a time has its zone, .+; see promptfold request --help$/,
    ],
    ["events that are none", ["state", "--events", "broken.md"], 1, /^error broken\.md:1: not JSON/],
    [
      "an event that is none",
      ["append", "--journal", "sqlite:a.db", "--stream", "/a", "--event", "{"],
      1,
      /^error --event:1:2: not valid JSON: .+; texts and names stand in double quotes/,
    ],
    [
      "a real model without a key",
      ["demo", "--model", "gpt-5"],
      2,
      /^error --model gpt-5 needs a key: set OPENAI_API_KEY/,
    ],
    [
      "a journal in a folder that is not there",
      ["demo", "--journal", "sqlite:nix/a.db"],
      1,
      /^error nix: there is no such folder for the journal; make it, or name one that exists$/,
    ],
  ];

  const cwd = mkdtempSync(join(tmpdir(), "promptfold-cli-"));
  writeFileSync(join(cwd, "broken.md"), "---\ntitle: [open\n---\ntext\n");
  writeFileSync(join(cwd, "unclosed.md"), 'text\n<section key="tone">\nkind\n');
  writeFileSync(join(cwd, "plain.md"), "text");
  mkdirSync(join(cwd, "empty"));
  symlinkSync("loop.md", join(cwd, "loop.md"));
  writeFileSync(join(cwd, "latin.md"), Buffer.from([0x63, 0x61, 0x66, 0xe9]));
  afterAll(() => {
    rmSync(cwd, { recursive: true, force: true });
  });

  it.each(cases)("%s", async (_what, args, exitCode, line) => {
    const ended = await promptfold(args, { cwd });
    const [first = "", ...rest] = ended.stderr.split("\n");
    expect(first).toMatch(line);
    expect(rest).toEqual([""]);
    expect(ended).toMatchObject({ exitCode, stdout: "" });
  });

  it("shows a stack trace only when asked", async () => {
    const { stderr, exitCode } = await promptfold(["sections", "missing.md", "--debug"], {
      cwd: temporaryFolder(),
    });
    expect(stderr).toMatch(/missing\.md: there is no such file[^]+\n\s+at /);
    expect(exitCode).toBe(1);
  });
});

describe("help", () => {
  it("is printed when asked for, and is an error when a command is missing", async () => {
    const [asked, missing, version] = await Promise.all([
      promptfold(["--help"]),
      promptfold([]),
      promptfold(["--version"]),
    ]);
    expect(asked).toMatchObject({ exitCode: 0, stderr: "" });
    expect(asked.stdout).toMatch(/demo[^]+check[^]+request[^]+promptfold demo/);
    expect(missing).toMatchObject({ exitCode: 2, stdout: "" });
    expect(missing.stderr).toContain("Commands:");
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
