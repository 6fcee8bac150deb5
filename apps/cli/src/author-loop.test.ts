import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { promptfold } from "./testing/run-in-process.ts";
import { startPromptfold, temporaryFolder } from "./testing/run-promptfold.ts";
import { writeFolder } from "./testing/write-folder.ts";

/** A config folder with one prompt. */
function configFolder(): string {
  return writeFolder({
    "config/journal.json": '{"identity": {"name": "Ada", "pronouns": {"subject": "she"}}}',
    "templates/greeting.md": "---\ntitle: T\n---\n\nHello $name,\npay $$3.",
    "templates/spare.md": "spare",
    "prompts/tone.md": [
      "---",
      "title: T",
      "input:",
      "  - { name: mood, description: How to sound. }",
      "  - { name: most, type: integer, default: 3 }",
      "---",
      "",
      "$greeting",
      '<section key="tone">',
      "Be $mood. $Pronouns_subject pays $most. $day $nobody",
      "</section>",
      "",
    ].join("\n"),
  });
}

describe("render --explain", () => {
  it("names for every part the file and line, or the variable and its tier", async () => {
    const cwd = configFolder();
    const args = ["render", "prompts/tone.md", "--set", "mood=kind\nand calm"];
    const ended = await promptfold([...args, "--explain"], { cwd });
    expect(ended.stdout).toBe(
      [
        "templates/greeting.md:5:1                                │Hello │",
        "templates/greeting.md:5:7   $name              identity  │Ada│",
        "templates/greeting.md:5:12                               │,↵",
        "templates/greeting.md:6:1                                │pay $3.│",
        "prompts/tone.md:8:10                                     │↵",
        'prompts/tone.md:9:1                                      │<section key="tone">↵',
        "prompts/tone.md:10:1                                     │Be │",
        "prompts/tone.md:10:4        $mood              context   │kind↵",
        "prompts/tone.md:10:4        $mood              context   │and calm│",
        "prompts/tone.md:10:9                                     │. │",
        "prompts/tone.md:10:11       $Pronouns_subject  identity  │She│",
        "prompts/tone.md:10:28                                    │ pays │",
        "prompts/tone.md:10:34       $most              default   │3│",
        "prompts/tone.md:10:39                                    │. │",
        "prompts/tone.md:10:41                          unbound   │$day│",
        "prompts/tone.md:10:45                                    │ │",
        "prompts/tone.md:10:46                          unbound   │$nobody│",
        "prompts/tone.md:10:53                                    │↵",
        "prompts/tone.md:11:1                                     │</section>│",
        "",
      ].join("\n"),
    );
    const plain = await promptfold(args, { cwd });
    const json = await promptfold([...args, "--explain", "--json"], { cwd });
    const { text, spans } = JSON.parse(json.stdout) as { text: string; spans: { text: string }[] };
    expect(`${text}\n`).toBe(plain.stdout);
    expect(spans.map((span) => span.text).join("")).toBe(text);
    expect(spans).toContainEqual({
      text: "She",
      file: "prompts/tone.md",
      line: 10,
      column: 11,
      variable: { name: "Pronouns_subject", tier: "identity", derivedFrom: "pronouns_subject" },
    });
  });
});

describe("vars", () => {
  it("lists variables by tier with values and uses, and what is not given", async () => {
    const cwd = configFolder();
    const ended = await promptfold(["vars", "prompts/tone.md"], { cwd });
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ended.stdout).toBe(
      [
        "identity: from journal.json",
        "  $Pronouns_subject  She (of $pronouns_subject)      prompts/tone.md:10:11",
        "  $name              Ada                             templates/greeting.md:5:7",
        "  $pronouns_subject  she                             not used",
        "",
        "templates",
        "  $greeting                                          prompts/tone.md:8:1",
        "  $spare                                             not used",
        "",
        "defaults of declared inputs",
        "  $most              3                               prompts/tone.md:10:34",
        "",
        "not given",
        "  $mood              required string: How to sound.  prompts/tone.md:10:4",
        "  $day               given when the prompt runs      prompts/tone.md:10:41",
        "  $nobody            not defined                     prompts/tone.md:10:46",
        "",
      ].join("\n"),
    );
  });

  it("as JSON is stable, and says what is wrong with what is given", async () => {
    const cwd = configFolder();
    const args = ["vars", "prompts/tone.md", "--json", "--set", "moud=x", "--set", "most=many"];
    const { stdout, stderr, exitCode } = await promptfold(args, { cwd });
    const { path, variables } = JSON.parse(stdout) as { path: string; variables: { name: string }[] };
    expect(path).toBe("prompts/tone.md");
    expect(variables.find(({ name }) => name === "most")).toEqual({
      name: "most",
      tier: "context",
      value: "many",
      input: { type: "integer", required: false, default: 3 },
      uses: [{ file: "prompts/tone.md", line: 10, column: 34 }],
    });
    expect(variables.find(({ name }) => name === "nobody")).toMatchObject({ tier: null });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("did you mean $mood?");
    expect(stderr).toContain("$most must be");
  });
});

describe("types", () => {
  it("declares the inputs of every prompt under the paths, one bad file not hiding the others", async () => {
    const cwd = configFolder();
    writeFileSync(join(cwd, "prompts", "plain.md"), "no inputs");
    const good = await promptfold(["types", "prompts"], { cwd });
    expect(good).toMatchObject({ exitCode: 0, stderr: "" });
    expect(good.stdout).toBe(
      [
        "/** What each prompt takes from its caller. */",
        "export interface PromptInputs {",
        '  "tone": {',
        "    /** How to sound. */",
        "    mood: string;",
        "    /** 3 unless given. */",
        "    most?: number;",
        "  };",
        "}",
        "",
      ].join("\n"),
    );
    mkdirSync(join(cwd, "prompts", "deep"));
    writeFileSync(join(cwd, "prompts", "deep", "bad.md"), "---\n: [\n---\n");
    writeFileSync(join(cwd, "prompts", "deep", "tone.md"), "---\ninput: { n: number }\n---\n$n");
    const bad = await promptfold(["types", ".", "--json"], { cwd });
    expect(bad.exitCode).toBe(1);
    expect(bad.stderr).toMatch(/^error prompts\/deep\/bad\.md:2:\d+: /);
    const prompts = JSON.parse(bad.stdout) as { name: string }[];
    expect(prompts.map(({ name }) => name)).toEqual(["deep/tone", "tone"]);
    expect(await promptfold(["types", "nowhere"], { cwd })).toMatchObject({
      exitCode: 1,
      stderr: "error nowhere: there is no such file or folder; check the path\n",
    });
  });
});

describe("watching", () => {
  const counted = (text: string, part: string): number => text.split(part).length - 1;

  it("renders again when what was read changes, and never for what it writes itself", async () => {
    const cwd = configFolder();
    const prompt = join(cwd, "prompts", "tone.md");
    writeFileSync(prompt, "$greeting $nobody");
    const args = ["render", "prompts/tone.md", "--watch", "--out", "prompts/out.json"];
    const { child, said, ended } = startPromptfold(args, { cwd });
    const out = (): string => readFileSync(join(cwd, "prompts", "out.json"), "utf8");
    await said("watching for changes");
    expect(out()).toBe("Hello Ada,\npay $3. $nobody\n");

    utimesSync(prompt, new Date(0), new Date(0));
    writeFileSync(prompt, "$greeting $nobody");
    writeFileSync(join(cwd, "templates", "spare.md"), "not used");
    writeFileSync(prompt, "$nobody $again");
    await said("$again is not defined");
    expect(out()).toBe("$nobody $again\n");

    writeFileSync(join(cwd, "config", "journal.json"), "{");
    await said("watching for changes", 3);
    expect(out()).toBe("$nobody $again\n");
    writeFileSync(join(cwd, "config", "journal.json"), '{"identity": {"again": "Bo"}}');
    await said("watching for changes", 4);
    expect(out()).toBe("$nobody Bo\n");

    child.kill("SIGINT");
    const { stderr, exitCode } = await ended;
    expect(exitCode).toBe(0);
    expect(counted(stderr, "watching for changes")).toBe(4);
    expect(stderr).toMatch(/\$again[^]*not valid JSON/);
  });

  it("waits for an identity and templates that are not there yet", async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "prompts"));
    writeFileSync(join(cwd, "prompts", "p.md"), "$name $t");
    const { child, said, printed, ended } = startPromptfold(["render", "prompts/p.md", "--watch"], { cwd });
    await said("watching for changes");
    mkdirSync(join(cwd, "templates"));
    writeFileSync(join(cwd, "templates", "t.md"), "T $late");
    await printed("$name T $late\n");
    mkdirSync(join(cwd, "config"));
    writeFileSync(join(cwd, "config", "journal.json"), '{"identity": {"name": "Ada $x"}}');
    await printed("Ada $x T $late\n");
    child.kill("SIGTERM");
    const { stdout, exitCode } = await ended;
    expect(stdout).toBe("$name $t\n$name T $late\nAda $x T $late\n");
    expect(exitCode).toBe(0);
  });

  it("waits for a prompt that is not there yet, but for no folder", async () => {
    const cwd = configFolder();
    const { child, said, printed, ended } = startPromptfold(["render", "prompts/new.md", "--watch"], { cwd });
    await said("there is no such file; check the path\nwatching for changes");
    writeFileSync(join(cwd, "prompts", "new.md"), "$name");
    await printed("Ada\n");
    writeFileSync(join(cwd, "config", "journal.json"), '{"identity": {"name": "Bo"}}');
    await printed("Bo\n");
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ exitCode: 0, stdout: "Ada\nBo\n" });
    expect(await promptfold(["render", "promts/new.md", "--watch"], { cwd })).toMatchObject({
      exitCode: 1,
      stderr: "error promts/new.md: there is no folder promts to watch; check the path\n",
    });
  });

  it("goes on when the file was away for a while", async () => {
    const cwd = configFolder();
    const prompt = join(cwd, "prompts", "tone.md");
    writeFileSync(prompt, "$one");
    const { child, said, ended } = startPromptfold(["render", "prompts/tone.md", "--watch"], { cwd });
    await said("$one is not defined");
    rmSync(prompt);
    await said("there is no such file; check the path");
    writeFileSync(prompt, "$two");
    await said("$two is not defined");
    writeFileSync(prompt, "$three");
    await said("$three is not defined");
    child.kill("SIGINT");
    expect((await ended).stdout).toBe("$one\n$two\n$three\n");
  });

  it("does not write over what it reads, and needs a file", async () => {
    const cwd = configFolder();
    for (const out of ["prompts/tone.md", "./config/journal.json", "templates/new.md"]) {
      const ended = await promptfold(["render", "prompts/tone.md", "--set", "mood=x", "--out", out], { cwd });
      expect(ended.stderr).toMatch(
        /^error --out .+: the text is made from this file; write it somewhere else\n$/,
      );
      expect(ended.exitCode).toBe(2);
    }
    const args = ["render", "-", "--templates", "templates", "--out", "templates/new.md"];
    expect(await promptfold(args, { cwd, input: "x" })).toMatchObject({ exitCode: 2, stdout: "" });
    expect(await promptfold(["render", "-", "--watch"], { cwd })).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it("knows what it reads by any name", async () => {
    const cwd = temporaryFolder();
    for (const name of ["prompts", "templates", "elsewhere"]) mkdirSync(join(cwd, name));
    const files = ["prompts/p.md", "templates/t.md", "mine.json"];
    writeFileSync(join(cwd, "prompts/p.md"), "p $t $$");
    writeFileSync(join(cwd, "templates/t.md"), "T");
    writeFileSync(join(cwd, "mine.json"), '{"identity": {}}');
    symlinkSync(".", join(cwd, "ln"));
    symlinkSync("prompts/p.md", join(cwd, "l.md"));
    symlinkSync("ln/templates/t.md", join(cwd, "lt.md"));
    symlinkSync("templates/new.md", join(cwd, "later.md"));
    symlinkSync("mine.json", join(cwd, "linked.json"));
    linkSync(join(cwd, "prompts/p.md"), join(cwd, "hard.md"));
    linkSync(join(cwd, "templates/t.md"), join(cwd, "elsewhere/hard.txt"));
    const before = files.map((name) => readFileSync(join(cwd, name), "utf8"));
    const outs = [
      "prompts/p.md",
      "ln/prompts/p.md",
      "l.md",
      "ln/ln/l.md",
      "lt.md",
      "later.md",
      "linked.json",
    ];
    for (const prompt of ["prompts/p.md", "ln/prompts/p.md", "l.md", "hard.md"]) {
      for (const out of [...outs, "hard.md", "elsewhere/hard.txt", "elsewhere/../ln/templates/other.md"]) {
        const from = ["--templates", "templates", "--identity", "mine.json", "--out", out];
        const ended = await promptfold(["render", prompt, ...from], { cwd });
        expect(ended.stderr).toBe(
          `error --out ${out}: the text is made from this file; write it somewhere else\n`,
        );
        expect(ended.exitCode).toBe(2);
      }
    }
    expect(files.map((name) => readFileSync(join(cwd, name), "utf8"))).toEqual(before);
    expect(await promptfold(["render", "ln/prompts/p.md", "--out", "ln/out.md"], { cwd })).toMatchObject({
      exitCode: 0,
    });
    expect(readFileSync(join(cwd, "out.md"), "utf8")).toBe("p T $\n");
  });

  it("tells of links that lead to nothing", async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "e", "prompts"), { recursive: true });
    mkdirSync(join(cwd, "e", "config"));
    writeFileSync(join(cwd, "e", "prompts", "p.md"), "Hi $t");
    const broken = async (link: string, args: readonly string[], named = link): Promise<void> => {
      symlinkSync("no/where", join(cwd, link));
      const ended = await promptfold(args, { cwd });
      expect(ended).toMatchObject({ exitCode: 1, stdout: "" });
      expect(ended.stderr).toBe(
        `error ${named}: this is a link to no/where, which is not there; correct the link, or make what it leads to\n`,
      );
      rmSync(join(cwd, link));
    };
    await broken("e/templates", ["render", "e/prompts/p.md"]);
    await broken("e/templates", ["check", "e"]);
    await broken("e/config/journal.json", ["render", "e/prompts/p.md"]);
    await broken("e/prompts/broken.md", ["render", "e/prompts/broken.md"]);
    await broken("prompts", ["check", "."]);
    await broken("context.json", ["render", "e/prompts/p.md", "--context", "context.json"]);
    await broken("out.md", ["render", "e/prompts/p.md", "--out", "out.md"]);
  });

  it("writes no export over the journal that it is made from", async () => {
    const cwd = temporaryFolder();
    const journal = ["--journal", "sqlite:a.db"];
    await promptfold(["append", ...journal, "--stream", "/s", "--message", "hi"], { cwd });
    symlinkSync("a.db", join(cwd, "l.jsonl"));
    for (const out of ["a.db", "l.jsonl"]) {
      const ended = await promptfold(["export", ...journal, "--out", out], { cwd });
      expect(ended).toMatchObject({ exitCode: 2, stdout: "" });
      expect(ended.stderr).toContain("the export is made from this file");
    }
    const ended = await promptfold(["export", ...journal], { cwd });
    expect(ended.stdout).toContain('"hi"');
  });

  it("checks a folder that has no prompt yet", async () => {
    const cwd = temporaryFolder();
    const { child, said, printed, ended } = startPromptfold(["check", ".", "--watch"], { cwd });
    await said("no prompt files (*.md) here");
    mkdirSync(join(cwd, "prompts"));
    writeFileSync(join(cwd, "prompts", "p.md"), "$nobody");
    await printed("$nobody is not defined");
    child.kill("SIGINT");
    expect((await ended).exitCode).toBe(1);
    const later = startPromptfold(["check", "prompts/later.md", "--watch"], { cwd });
    await later.said("there is no such file");
    writeFileSync(join(cwd, "prompts", "later.md"), "fine");
    await later.printed("nothing found");
    later.child.kill("SIGINT");
    expect((await later.ended).exitCode).toBe(0);
    expect(await promptfold(["check", "absent", "--watch"], { cwd })).toMatchObject({ exitCode: 1 });
  });

  it("checks again what changed", async () => {
    const cwd = configFolder();
    const { child, said, ended } = startPromptfold(["check", ".", "--watch"], { cwd });
    await said("watching for changes");
    writeFileSync(join(cwd, "prompts", "tone.md"), "${not-a-name} $greeting $spare");
    writeFileSync(join(cwd, "prompts", "report.txt"), "no prompt");
    await said("watching for changes\n── changed ──\nwatching for changes");
    child.kill("SIGINT");
    const { stdout, exitCode } = await ended;
    expect(stdout).toMatch(
      /undefined-variable[^]+checked: 1 error, 1 warning\n[^]+malformed-placeholder[^]+: 0 errors, 1 warning\n$/,
    );
    expect(exitCode).toBe(0);
  });
});
