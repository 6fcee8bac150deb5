import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { promptfold } from "./testing/run-in-process.ts";
import { temporaryFolder } from "./testing/run-promptfold.ts";
import { writeFolder } from "./testing/write-folder.ts";

describe("commands for authors", () => {
  function configFolder(): string {
    return writeFolder({
      "config/journal.json": '{"identity": {"name": "Ada"}}',
      "templates/greeting.md": "Hello $name.",
      "prompts/tone.md":
        '---\ntitle: T\n---\n\n$greeting\n\n<section key="tone">\nBe $mood, $name.\n</section>\n',
    });
  }

  it("sections reads standard input", async () => {
    const ended = await promptfold(["sections", "-"], { input: "x\n" });
    expect(ended).toMatchObject({ exitCode: 0, stderr: "", stdout: "prompt  line 1  1 line  1 word  x\n" });
  });

  it("sections counts lines in the file, frontmatter included, and leaves values out", async () => {
    const { stdout } = await promptfold(["sections", "prompts/tone.md", "--json"], { cwd: configFolder() });
    expect(JSON.parse(stdout)).toEqual([
      { key: "tone", line: 5, content: "$greeting" },
      { key: "tone", line: 7, content: "Be $mood, $name." },
    ]);
  });

  it("render finds what stands beside prompts/, and says what nothing is bound to", async () => {
    const ended = await promptfold(["render", "prompts/tone.md"], { cwd: configFolder() });
    expect(ended.stdout).toBe('Hello Ada.\n\n<section key="tone">\nBe $mood, Ada.\n</section>\n');
    expect(ended.stderr).toBe(
      "note: prompts/tone.md:8:4: $mood is not defined and stays as it is; give it with --set mood=…\n",
    );
  });

  it("a file named without its folder or its ending is told where it is", async () => {
    const cwd = configFolder();
    for (const name of ["tone", "tone.md", "prompts/tone"]) {
      expect(await promptfold(["render", name], { cwd })).toMatchObject({
        exitCode: 1,
        stderr: `error ${name}: there is no such file; did you mean prompts/tone.md?\n`,
      });
    }
  });

  it("render says what is wrong with the tags of the text that it shows", async () => {
    const input = '<section key="a">\n<section key="b">\nx\n</section>\n<Section key="c">\n<section key="d">';
    const { stdout, stderr, exitCode } = await promptfold(["render", "-"], { input });
    expect(stdout).toBe(`${input}\n`);
    expect(exitCode).toBe(0);
    expect(stderr.trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        /^note: <stdin>:2:1: a section tag inside section "a" opened at <stdin>:1:1; close "a" with/,
      ),
      expect.stringMatching(
        /^note: <stdin>:6:1: section "d" is never closed; add <\/section> after its text$/,
      ),
      expect.stringMatching(
        /^note: <stdin>:5:1: <Section is no section tag here and stays as text; write <section key=/,
      ),
    ]);
  });

  it("render and append say when frontmatter is part of the prompt, in templates too", async () => {
    const cwd = configFolder();
    mkdirSync(join(cwd, "templates"), { recursive: true });
    writeFileSync(join(cwd, "templates", "greeting.md"), "---\ntitle: T\n--- \nHello");
    writeFileSync(join(cwd, "prompts", "near.md"), "--- \ntitle: x\n---\n$greeting");
    const notes = [
      expect.stringMatching(/^note: prompts\/near\.md:1:1: blanks stand beside this ---, /),
      expect.stringMatching(/^note: templates\/greeting\.md:1:1: frontmatter opens here and never closes, /),
    ];
    for (const args of [
      ["render", "prompts/near.md"],
      ["append", "--journal", "sqlite:a.db", "--stream", "/a", "--prompt", "prompts/near.md"],
    ]) {
      const { stderr, exitCode } = await promptfold(args, { cwd });
      expect(exitCode).toBe(0);
      expect(stderr.trimEnd().split("\n")).toEqual(notes);
    }
  });

  it("read a named pipe to its end, and wait for none that stands in a folder", async () => {
    const cwd = configFolder();
    for (const name of ["prompts/pipe.md", "named.json"])
      execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(cwd, name)]);
    const write = 'printf "%s" "Hello \\$name" > "$1" & printf "%s" "$3" > "$2"';
    const names = [join(cwd, "prompts", "pipe.md"), join(cwd, "named.json")];
    const writer = spawn("sh", ["-c", write, "sh", ...names, '{"identity": {"name": "Bo"}}']);
    const args = ["render", "prompts/pipe.md", "--identity", "named.json"];
    expect(await promptfold(args, { cwd })).toMatchObject({ exitCode: 0, stdout: "Hello Bo\n", stderr: "" });
    writer.kill();
    for (const command of ["check", "types"]) {
      const { stdout, stderr, exitCode } = await promptfold([command, "prompts"], { cwd });
      expect(exitCode).toBe(1);
      expect(stdout + stderr).toContain("this is a pipe, a socket or a device, and no file; name a file");
    }
    for (const command of ["check", "render"]) {
      for (const [path, what] of [
        ["prompts/pipe.md", "prompts/pipe.md is a pipe or a device, which is read once"],
        ["/dev/null", "/dev/null is a pipe or a device, which is read once"],
        ["-", "standard input is read once"],
      ] as const) {
        const ended = await promptfold([command, path, "--watch"], { cwd });
        expect(ended.stderr).toBe(`error --watch needs a file to watch; ${what}\n`);
        expect(ended.exitCode).toBe(2);
      }
    }
  });

  it("show nothing that a terminal would obey of the names that they tell", async () => {
    const cwd = temporaryFolder();
    const hostile = "\u001b[31m\u202e";
    for (const name of ["prompts", "templates", "config"]) mkdirSync(join(cwd, name));
    const identity = { [`k${hostile}\n`]: "v", [`list${hostile}`]: [{}] };
    writeFileSync(
      join(cwd, "config", "journal.json"),
      JSON.stringify({ identity: { ...identity, name: hostile } }),
    );
    writeFileSync(join(cwd, "templates", `t${hostile}.md`), "x");
    const file = join("prompts", `p${hostile}.md`);
    const front = `---\ninput: { a: { type: boolean, default: true, description: "x${hostile.slice(-1)}" } }\n---\n`;
    writeFileSync(join(cwd, file), `${front}$oops <Section key="a"> $name $a`);
    writeFileSync(join(cwd, "empty.json"), "{}");
    for (const args of [
      ["vars", file],
      ["vars", file, "--identity", "empty.json"],
      ["render", file, "--explain", "--identity", "empty.json"],
      ["types", file],
      ["check", file],
      ["check", `no${hostile}`],
    ]) {
      const { stdout, stderr } = await promptfold(args, { cwd });
      expect(stdout + stderr).toContain("\\u202e");
      expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    }
  });

  it("render takes a text as it is, also when it looks like a path", async () => {
    const cwd = configFolder();
    const ended = await promptfold(["render", "-", "--set", "mood=prompts/tone.md", "--set", "name=./a"], {
      cwd,
      input: "$mood AR/VR $name",
    });
    expect(ended).toMatchObject({ exitCode: 0, stdout: "prompts/tone.md AR/VR ./a\n", stderr: "" });
  });

  it("render gives words of the command line the types that a prompt declares", async () => {
    const input = "---\ninput:\n  - name: most\n    type: integer\n---\n$most";
    const [good, bad] = await Promise.all([
      promptfold(["render", "-", "--set", "most=3"], { input }),
      promptfold(["render", "-", "--set", "most=many"], { input }),
    ]);
    expect(good.stdout).toBe("3\n");
    expect(bad.stderr).toMatch(/^error <stdin>: \$most must be an integer and is "many"/);
    expect(bad.exitCode).toBe(1);
  });

  it.each([
    ["integer", "9007199254740993"],
    ["integer", "9".repeat(26)],
    ["integer", "007"],
    ["integer", "-0"],
    ["number", "1.50"],
    ["number", "12345678901234567890.10"],
    ["number", "1e400"],
    ["string", "1.50"],
    ["boolean", "true"],
  ])("render puts a given %s in as it is written: %s", async (type, text) => {
    const input = `---\ninput: { it: ${type} }\n---\n$it`;
    const ended = await promptfold(["render", "-", "--set", `it=${text}`], { input });
    expect(ended).toMatchObject({ exitCode: 0, stdout: `${text}\n`, stderr: "" });
  });

  it.each([
    ["integer", "1.0"],
    ["integer", "1e3"],
    ["integer", " 3"],
    ["number", "1,5"],
    ["number", "0x10"],
    ["number", "Infinity"],
    ["number", ""],
    ["boolean", "TRUE"],
  ])("render takes no other word for a %s: %j", async (type, text) => {
    const input = `---\ninput: { it: ${type} }\n---\n$it`;
    const ended = await promptfold(["render", "-", "--set", `it=${text}`], { input });
    expect(ended).toMatchObject({ exitCode: 1, stdout: "" });
    expect(ended.stderr).toMatch(/^error <stdin>: \$it must be an? /);
  });

  it("refuse a number that would be read as another one, wherever it stands", async () => {
    const cwd = configFolder();
    const number = "12345678901234567890";
    const reason = `the number ${number} cannot be held as it is written, and would be read as 12345678901234567000; put it in quotes`;
    writeFileSync(
      join(cwd, "prompts", "n.md"),
      `---\ninput:\n  - name: n\n    type: integer\n    default: ${number}\n---\n$n`,
    );
    writeFileSync(join(cwd, "context.json"), `{\n "n": ${number}\n}`);
    writeFileSync(join(cwd, "me.json"), `{"identity": {"n": [${number}]}}`);
    const runs = [
      { args: ["render", "prompts/n.md"], place: "prompts/n.md:5:14: in the frontmatter, " },
      {
        args: ["check", "prompts/n.md"],
        place: "prompts/n.md:5:14 error invalid-frontmatter: in the frontmatter, ",
      },
      { args: ["render", "-", "--context", "context.json"], place: "context.json:2:7: " },
      { args: ["render", "-", "--identity", "me.json"], place: "me.json:1:21: " },
      { args: ["check", "-", "--identity", "me.json"], place: "me.json:1:21 error invalid-config: " },
    ];
    for (const { args, place } of runs) {
      const { stdout, stderr, exitCode } = await promptfold(args, { cwd, input: "$n" });
      expect(exitCode).toBe(1);
      expect(`${stdout}${stderr}`).toContain(place + reason);
    }
    writeFileSync(join(cwd, "prompts", "n.md"), `---\ninput: { n: { default: "${number}" } }\n---\n$n`);
    expect((await promptfold(["render", "prompts/n.md"], { cwd })).stdout).toBe(`${number}\n`);
  });

  it("take variables from a file by the rules of those in options", async () => {
    const cwd = configFolder();
    const render = async (context: string): Promise<string> => {
      writeFileSync(join(cwd, "context.json"), context);
      const args = ["render", "-", "--context", "context.json"];
      const { stderr, exitCode } = await promptfold(args, { cwd, input: "$a" });
      expect(exitCode).toBe(1);
      return stderr;
    };
    expect(await render('{\n "a": 1, "a-b": 1}')).toBe(
      'error context.json:2:10: "a-b" is no variable\'s name (letters, digits and underscores, no digit first); write a_b\n',
    );
    expect(await render('{"a": 1, "a": 2}')).toBe(
      'error context.json:1:10: "a" occurs twice in one object, and only the last counts; remove one\n',
    );
  });

  it("check reads standard input, and takes templates and identity from where options say", async () => {
    const cwd = configFolder();
    const input = "$greeting $name $nobody";
    const places = ["--templates", "templates", "--identity", "config/journal.json"];
    const { stdout, exitCode } = await promptfold(["check", "-", ...places], { cwd, input });
    expect(stdout).toContain("<stdin>:1:17 error undefined-variable: $nobody is not defined");
    expect(stdout).toContain("3 files checked: 1 error, 0 warnings");
    expect(exitCode).toBe(1);
  });

  it("check finds the config folders of a folder", async () => {
    const cwd = configFolder();
    writeFileSync(join(cwd, "README.md"), "$no");
    const { stdout } = await promptfold(["check", basename(cwd), "--set", "mood"], { cwd: dirname(cwd) });
    expect(stdout).not.toContain("README.md");
    expect(stdout).toContain("3 files checked: ");
  });

  it("check finds what is wrong and exits with 1, in each format", async () => {
    const cwd = configFolder();
    writeFileSync(join(cwd, "prompts", "open.md"), '<section key="a">\ntext\n');
    const [text, json, github, missing] = await Promise.all([
      promptfold(["check", "."], { cwd }),
      promptfold(["check", ".", "--json"], { cwd }),
      promptfold(["check", ".", "--format", "github"], { cwd }),
      promptfold(["check", "nowhere"], { cwd }),
    ]);
    expect(text.stdout).toContain("prompts/open.md:1:1 error unclosed");
    expect(text.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ errors: 2, warnings: 0 });
    expect(github.stdout).toMatch(/^::error file=prompts\/open\.md,line=1,col=1/m);
    expect(missing).toMatchObject({
      exitCode: 1,
      stderr: "error nowhere: there is no such file or folder; check the path\n",
    });
  });
});
