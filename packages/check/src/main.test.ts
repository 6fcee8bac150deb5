import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { main } from "./main.ts";

const root = mkdtempSync(join(tmpdir(), "promptfold-check-main-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});

function write(path: string, text: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
}

const good = write("good/prompts/a.md", "fine");
const warned = write("warned/prompts/a.md", "${not-a-name}");
const empty = dirname(write("empty/notes.txt", "x"));
const bad = write(
  "bad/prompts/a, b.md",
  `---\ntitle: T\n---\n\n${"x".repeat(200)} \t$topic\u001b[31m ${"y".repeat(200)}`,
);

async function run(
  args: string[],
  env: Record<string, string> = {},
  isTTY = false,
  input: Uint8Array[] = [],
) {
  let out = "";
  let err = "";
  const status = await main(args, {
    stdin: Readable.from(input, { objectMode: false }),
    stdout: { write: (text) => (out += text), isTTY },
    stderr: { write: (text) => (err += text) },
    env,
  });
  return { status, out, err };
}

describe("exit status", () => {
  it("is 0 without errors, 1 with them, 2 when the call is at fault", async () => {
    expect(await run([good])).toEqual({ status: 0, out: "1 file checked: nothing found\n", err: "" });
    expect((await run([warned])).status).toBe(0);
    expect((await run([warned, "--strict"])).status).toBe(1);
    expect((await run([bad])).status).toBe(1);
    expect((await run([bad, "--set", "topic"])).status).toBe(0);
    expect((await run([bad, "--set", "topic=roses"])).status).toBe(0);
  });

  it.each([
    [["--formt"], "error Unknown option '--formt'; promptfold-check --help lists the options\n"],
    [["--format", "xml", good], "error --format xml: there is no such format; use text, json or github\n"],
  ])("of %j is 2, with one line that says what to do", async (args, line) => {
    expect(await run(args)).toEqual({ status: 2, out: "", err: line });
  });

  it.each([
    [["absent.md"], "error absent.md: there is no such file or folder; check the path\n"],
    [[good, "--templates", "nope"], "error nope: there is no such folder; check the path\n"],
    [[good, "--identity", "nope.json"], "error nope.json: there is no such file; check the path\n"],
    [
      [join(root, "good/prompts/a.md/x")],
      expect.stringContaining("a part of the path is no folder; check the path\n"),
    ],
    [
      [empty],
      `error ${empty}: no prompt files (*.md) here; give a prompt file or a folder that holds some\n`,
    ],
  ])(
    "of %j, a path that leads to nothing, is 1, with one line that says what to do",
    async (args, line: string) => {
      expect(await run(args)).toEqual({ status: 1, out: "", err: line });
    },
  );

  it("comes with a stack trace when one is asked for", async () => {
    const { status, err } = await run([join(root, "absent"), "--debug"]);
    expect(status).toBe(1);
    expect(err).toMatch(/^error .*absent: there is no such file or folder; check the path\n(?:.*\n)+? +at /);
    expect((await run([join(root, "absent")])).err).not.toContain(" at ");
  });

  it("of --help is 0", async () => {
    const { status, out } = await run(["--help"]);
    expect(status).toBe(0);
    expect(out).toMatch(/^Usage: promptfold-check \[PATH…\]/);
  });

  it("of --version is 0, and the version is the package's", async () => {
    const url = new URL("../package.json", import.meta.url);
    const { version } = JSON.parse(readFileSync(url, "utf8")) as { version: string };
    expect(await run(["--version"])).toEqual({ status: 0, out: `${version}\n`, err: "" });
  });
});

describe("standard input", () => {
  const read = (input: Uint8Array, ...args: string[]): ReturnType<typeof run> =>
    run(["-", ...args], {}, false, [input.slice(0, 9), input.slice(9)]);

  it("is checked as <stdin>, beside files if any are named", async () => {
    const { status, out, err } = await read(Buffer.from('\ufeffa\r\n<section key="é">$name'));
    expect({ status, err }).toEqual({ status: 1, err: "" });
    expect(out).toContain("<stdin>:2:1 error unclosed: ");
    expect(out).toContain("<stdin>:2:18 error undefined-variable: ");
    expect((await read(Buffer.from("$name"), "--set", "name", good)).out).toBe(
      "2 files checked: nothing found\n",
    );
    expect((await read(Buffer.from([0xe9]))).out).toContain(
      "<stdin>:1:1 error unreadable-file: the file is not UTF-8",
    );
  });

  it("cannot be watched", async () => {
    expect(await read(Buffer.from("x"), "--watch")).toEqual({
      status: 2,
      out: "",
      err: "error --watch needs a file to watch; standard input is read once\n",
    });
  });
});

describe("output", () => {
  it("as text shows the line, cut and made printable, with a mark under the fault", async () => {
    const { out } = await run([bad]);
    const [head, code, mark, , summary] = out.split("\n");
    expect(head).toMatch(/a, b\.md:5:203 error undefined-variable: \$topic is not defined;/);
    expect(out).not.toContain("\u001b");
    expect(code).toMatch(/^ {2}5 \| …x+ {2}\$topic\\u001b\[31m y+…$/);
    expect(mark?.indexOf("^^^^^^")).toBe(code?.indexOf("$topic"));
    expect(summary).toBe("1 file checked: 1 error, 0 warnings");
  });

  it("is colored on a terminal, unless NO_COLOR is set", async () => {
    expect((await run([bad], {}, true)).out).toContain("\u001b[31merror\u001b[0m");
    expect((await run([bad], { NO_COLOR: "1" }, true)).out).not.toContain("\u001b");
  });

  it("as JSON is stable", async () => {
    const { out } = await run([bad, "--format", "json"]);
    expect(JSON.parse(out)).toEqual({
      version: 1,
      files: [bad],
      errors: 1,
      warnings: 0,
      findings: [
        {
          code: "undefined-variable",
          severity: "error",
          message: `$topic is not defined; declare topic under input, add it to identity, or create ${join(root, "bad/templates/topic.md")} (for a literal dollar write $$)`,
          file: bad,
          line: 5,
          column: 203,
          endColumn: 209,
        },
      ],
    });
  });

  it("as GitHub annotations names files from the repository's root, escaped", async () => {
    const { out } = await run([bad, warned, "--format", "github"], { GITHUB_WORKSPACE: root });
    const lines = out.split("\n");
    expect(lines[0]).toMatch(
      /^::error file=bad\/prompts\/a%2C b\.md,line=5,col=203,endColumn=209,title=undefined-variable::\$topic is not/,
    );
    expect(lines[1]).toMatch(/^::warning file=warned\/prompts\/a\.md,line=1,col=1,/);
    expect((await run([bad, "--format", "github"])).out).toContain(`file=${bad.replace(",", "%2C")},`);
  });
});

describe("what a terminal would obey", () => {
  const hostile = "\u001b[31m\u202e\u0007";
  const unsafe = /(?!\n)[\p{Cc}\p{Bidi_Control}]/u;

  it("is shown as its code: in names of files, messages, code frames and annotations", async () => {
    const file = write(
      `hostile/prompts/a${hostile}.md`,
      `---\n"titl${hostile}": 5\ntitle: [1]\n---\n${hostile}$oops${hostile}`,
    );
    for (const args of [[file], [file, "--format", "github"], [`${file}${hostile}`], [`--${hostile}`]]) {
      const { status, out, err } = await run(args);
      expect(status).toBeGreaterThan(0);
      expect(out + err).toContain("\\u001b[31m\\u202e\\u0007");
      expect(out + err).not.toMatch(unsafe);
    }
  });

  it("leaves the mark of a code frame under the fault", async () => {
    const { out } = await run([write("marked/prompts/a.md", "a\u202eb $oops \u0007")]);
    expect(out.split("\n").slice(1, 3)).toEqual(["  1 | a\\u202eb $oops \\u0007", "    |          ^^^^^"]);
  });
});
