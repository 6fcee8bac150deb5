import { execFileSync, spawn } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { listPrompts } from "@promptfold/templating/node";
import { describe, expect, it } from "vitest";
import { checkPaths, type CheckOptions } from "./check-paths.ts";
import { loadTokenCounter } from "./count-tokens.ts";
import { CheckPathError } from "./errors.ts";
import { formatText } from "./format-findings.ts";
import { writeFolder } from "./testing/write-folder.ts";

const identity = {
  "config/journal.json": JSON.stringify({ identity: { name: "Ada Okafor", preferred: "Ada" } }),
};

/** Findings as lines: `file:line:column[-endColumn] severity code`. */
async function found(
  files: Record<string, string | Uint8Array>,
  options: CheckOptions = {},
): Promise<string[]> {
  const dir = writeFolder(files);
  const { findings } = await checkPaths([dir], options);
  return findings.map(({ file, line, column, endColumn, severity, code }) => {
    const end = endColumn === undefined ? "" : `-${endColumn}`;
    return `${file.slice(dir.length + 1)}:${line}:${column}${end} ${severity} ${code}`;
  });
}

async function messages(files: Record<string, string>, options: CheckOptions = {}): Promise<string[]> {
  return (await checkPaths([writeFolder(files)], options)).findings.map(({ message }) => message);
}

describe("the prompts of a folder", () => {
  it("are those that a listing gives", async () => {
    const dir = writeFolder({
      "prompts/z.md": "z",
      "prompts/sub/s.md": "s",
      "prompts/.dot.md": "hidden",
      "prompts/sub/node_modules/x/README.md": "installed",
    });
    symlinkSync("ada@host.4711:1700000000", join(dir, "prompts", ".#z.md"));
    const { prompts } = listPrompts(join(dir, "prompts"));
    expect((await checkPaths([dir])).files).toEqual(prompts.map(({ path }) => path));
    expect(prompts.map(({ name }) => name)).toEqual(["sub/s", "z"]);
  });
});

describe("what is right", () => {
  it("is not reported", async () => {
    const prompt = [
      "---",
      "title: Review",
      "schedule: daily",
      "budget_tokens: 500",
      "input: [{ name: topic }]",
      "own: kept",
      "---",
      "",
      "$intro for $Preferred on $Day, about $topic. $$5, $5 and $ are text.",
    ].join("\n");
    expect(await found({ ...identity, "prompts/a.md": prompt, "templates/intro.md": "For $name" })).toEqual(
      [],
    );
  });

  it("lists the files that were read", async () => {
    const dir = writeFolder({
      ...identity,
      "prompts/a.md": "$intro",
      "prompts/b.md": "b",
      "templates/intro.md": "I",
    });
    const { files } = await checkPaths([dir]);
    expect([...files].sort()).toEqual(
      ["config/journal.json", "prompts/a.md", "prompts/b.md", "templates/intro.md"].map((name) =>
        join(dir, name),
      ),
    );
  });
});

describe("frontmatter", () => {
  it("that is broken or never closes, one file not stopping the others", async () => {
    expect(
      await found({
        "prompts/a.md": "fine",
        "prompts/b.md": "---\ndescription: One rule: be brief\n---\nB",
        "prompts/c.md": '{\n"a": 1,\n"b": x\n}\n',
        "prompts/d.md": "\n---\ntitle: T\n\nBody",
        "prompts/e.md": '{\n"title": "T"\n',
        "prompts/f.md": new Uint8Array([0xff, 0xfe, 0x00]),
        "prompts/g.md": "$undefined",
      }),
    ).toEqual([
      "prompts/b.md:2:22 error invalid-frontmatter",
      "prompts/c.md:3:6 error invalid-frontmatter",
      "prompts/d.md:2:1-4 error unclosed-frontmatter",
      "prompts/e.md:1:1-2 error unclosed-frontmatter",
      "prompts/f.md:1:1 error unreadable-file",
      "prompts/g.md:1:1-11 error undefined-variable",
    ]);
  });

  it("that is nearly some, in prompts and templates, which hides what it declares", async () => {
    const files = {
      "prompts/a.md": "--- \ninput: { topic: string }\n---\n$topic $spare",
      "prompts/b.md": ' {\n"input": { "topic": "string" }\n}\n$topic',
      "prompts/c.md": "---\ntitle: T\n--- \nC\n---\nmore",
      "templates/spare.md": "---\ntitle: T\n---\t\ntext",
    };
    expect(await found(files)).toEqual([
      "prompts/a.md:1:1-4 warning near-frontmatter",
      "prompts/b.md:1:1-3 warning near-frontmatter",
      "prompts/c.md:3:1 error invalid-frontmatter",
      "templates/spare.md:1:1-4 error unclosed-frontmatter",
    ]);
  });

  it("with metadata of wrong types, at the line of the field", async () => {
    expect(
      await found({
        "prompts/a.md": '---\ntitle: 5\n"tier": [1]\nmax_output_tokens: lots\n---\nA',
        "prompts/b.md": '{\n  "title": "T",\n  "thinking_budget": -1\n}\nB',
      }),
    ).toEqual([
      "prompts/a.md:2:1-6 error metadata-type",
      "prompts/a.md:3:1-7 error metadata-type",
      "prompts/a.md:4:1-18 error metadata-type",
      "prompts/b.md:3:3-20 error metadata-type",
    ]);
  });

  it("in JSON with a field that occurs twice", async () => {
    expect(await found({ "prompts/a.md": '{\n"title": "a",\n"title": "b"\n}\nA' })).toEqual([
      "prompts/a.md:3:1 error duplicate-metadata",
    ]);
  });

  it("with a field that looks like a slip", async () => {
    const files = { "prompts/a.md": "---\nshedule: daily\nmy_own: 1\n---\nA" };
    expect(await found(files)).toEqual(["prompts/a.md:2:1-8 warning unknown-metadata"]);
    expect(await messages(files)).toEqual(["shedule has no meaning here; did you mean schedule?"]);
  });
});

describe("variables", () => {
  it("that are undefined, with the nearest name, in the file that names them", async () => {
    const files = {
      ...identity,
      "prompts/a.md": "---\ntitle: T\n---\n\nHello $prefered\n$intro $zebra",
      "templates/intro.md": "---\ntitle: T\n---\n\nBy ${nmae}",
    };
    expect(await found(files)).toEqual([
      "prompts/a.md:5:7-16 error undefined-variable",
      "prompts/a.md:6:8-14 error undefined-variable",
      "templates/intro.md:5:4-11 error undefined-variable",
    ]);
    expect(await messages(files)).toEqual([
      "$prefered is not defined; did you mean $preferred? (for a literal dollar write $$)",
      expect.stringMatching(
        /^\$zebra is not defined; declare zebra under input, add it to identity, or create .*zebra\.md \(for/,
      ),
      "$nmae is not defined; did you mean $name? (for a literal dollar write $$)",
    ]);
  });

  it("that the caller says it passes are known", async () => {
    expect(await found({ "prompts/a.md": "$topic $Topic" }, { context: ["topic"] })).toEqual([]);
  });

  it("named like prototype members are no exception", async () => {
    expect(await found({ "prompts/a.md": "$constructor" })).toEqual([
      "prompts/a.md:1:1-13 error undefined-variable",
    ]);
  });

  it("that are declared or written and never used", async () => {
    expect(
      await found({
        ...identity,
        "prompts/a.md": "---\ninput: { topic: string, Count: number }\n---\n$Topic",
        "templates/unused.md": "$nobody",
      }),
    ).toEqual([
      "prompts/a.md:2:25-30 warning unused-input",
      "templates/unused.md:1:1-8 error undefined-variable",
      "templates/unused.md:1:1 warning unused-template",
    ]);
  });

  it("by the thousand are told of, with hints for the first of them", async () => {
    const names = (stem: string): string[] => Array.from({ length: 4_000 }, (_, index) => `${stem}${index}`);
    const input = names("topic_").map((name) => `  ${name}: string`);
    const prompt = ["---", "input:", ...input, "---", ...names("topik_").map((name) => `$${name}`)];
    const all = await messages({ "prompts/a.md": prompt.join("\n") });
    expect(all.filter((message) => message.startsWith("input topic_"))).toHaveLength(4_000);
    const undefinedOnes = all.filter((message) => message.startsWith("$topik_"));
    expect(undefinedOnes).toHaveLength(4_000);
    expect(undefinedOnes[0]).toContain("did you mean $topic_0?");
    expect(undefinedOnes[3_999]).toContain("declare topik_3999 under input");
  });

  it("that are malformed", async () => {
    expect(await found({ ...identity, "prompts/a.md": "${user-name} ${} $${ok}" })).toEqual([
      "prompts/a.md:1:1-13 warning malformed-placeholder",
      "prompts/a.md:1:14-17 warning malformed-placeholder",
    ]);
  });

  it("whose templates form a circle", async () => {
    expect(
      await found({ "prompts/a.md": "$x", "templates/x.md": "a\n $y", "templates/y.md": "b $x" }),
    ).toEqual(["templates/y.md:1:3 error template-cycle"]);
  });
});

describe("sections", () => {
  it("with faults in their tags, in prompts and templates", async () => {
    expect(
      await found({
        "prompts/a.md": '---\ntitle: T\n---\n<section key="a">\nA\n',
        "prompts/b.md": '$t\n<section key="b">\n$u\n</section>\n</section>',
        "templates/t.md": "x <section>",
        "templates/u.md": "---\ntitle: T\n---\nfine\n<section key='u'>",
      }),
    ).toEqual([
      "prompts/a.md:4:1 error unclosed",
      "templates/t.md:1:3 error invalid-tag",
      "templates/u.md:5:1 error nested",
    ]);
  });

  it("whose tags are nearly tags, in prompts and templates", async () => {
    expect(
      await found({
        "prompts/a.md": '---\ntitle: T\n---\n<Section key="a">\nA $t\n</Section>\n```html\n<Section>\n```',
        "templates/t.md": "x\n< section>",
      }),
    ).toEqual([
      "prompts/a.md:4:1-9 warning near-tag",
      "prompts/a.md:6:1-10 warning near-tag",
      "templates/t.md:2:1-10 warning near-tag",
    ]);
  });

  it("whose keys occur twice, that are blank, or are named with a placeholder", async () => {
    const files = {
      ...identity,
      "prompts/a.md": [
        "loose",
        '<section key="a">A</section>',
        "loose again",
        '<section key="a">A</section>',
        '<section key="b">',
        " ",
        "</section>",
        '<section key="$name">x</section>',
      ].join("\n"),
    };
    expect(await found(files)).toEqual([
      "prompts/a.md:3:1 error duplicate-key",
      "prompts/a.md:4:1-18 error duplicate-key",
      "prompts/a.md:5:1-18 warning blank-section",
      "prompts/a.md:8:1-22 warning placeholder-in-key",
    ]);
    expect((await messages(files))[1]).toContain('section "a" is already defined at line 2');
  });
});

describe("what is wrong inside a field", () => {
  const yaml = [
    "---",
    "title: T",
    "input:",
    "  - name: a",
    "    type: number",
    "    default: lots",
    "  - { name: b, typ: string }",
    "  - name: a",
    "  - name: unused",
    "tools: [host, 5]",
    "budget_tokens:",
    "  file: 1",
    "  section: 2",
    "  sections:",
    "    one: 3",
    "    two: -4",
    "---",
  ];
  const json = [
    "{",
    '"input": {',
    '  "a": {"type": "text"},',
    '  "b c": "string"},',
    '"tools": ["host",',
    "  5],",
    '"budget_tokens": {"file": 1, "section": 2, "sections": {"one": 3, "twoo": 4}}',
    "}",
  ];
  const body = '<section key="one">\none two three four\n</section>\n<section key="two">a b c</section>';
  const countTokens = (text: string): number => text.split(/\s+/).length;

  it("is told at its own line and column, in YAML and in JSON", async () => {
    const files = {
      "prompts/a.md": [...yaml, body].join("\n"),
      "prompts/b.md": [...json, body].join("\n"),
      "prompts/c.md": `---\ninput:\n  - name: used\n  - description: D\n    name: idle\n---\n$used`,
      "prompts/d.md": `---\nbudget_tokens:\n  sections: { one: 2 }\n  section: 2\n  file: 3\n---\n${body}`,
    };
    expect(await found(files, { countTokens })).toEqual([
      "prompts/a.md:4:5-9 warning unused-input",
      "prompts/a.md:6:5-12 error metadata-type",
      "prompts/a.md:7:16-19 error metadata-type",
      "prompts/a.md:8:5-12 error metadata-type",
      "prompts/a.md:9:5-9 warning unused-input",
      "prompts/a.md:10:15-16 error metadata-type",
      "prompts/a.md:16:5-8 error metadata-type",
      "prompts/b.md:3:3-6 warning unused-input",
      "prompts/b.md:3:9-15 error metadata-type",
      "prompts/b.md:4:3-8 error metadata-type",
      "prompts/b.md:6:3-4 error metadata-type",
      "prompts/b.md:7:19-25 error over-budget",
      "prompts/b.md:7:30-39 error over-budget",
      "prompts/b.md:7:57-62 error over-budget",
      "prompts/b.md:7:67-73 warning unknown-metadata",
      "prompts/c.md:5:5-9 warning unused-input",
      "prompts/d.md:3:15-18 error over-budget",
      "prompts/d.md:4:3-10 error over-budget",
      "prompts/d.md:5:3-7 error over-budget",
    ]);
  });
});

describe("budgets", () => {
  const words = (count: number): string => "word ".repeat(count).trim();

  it("are measured on the parsed text with values in, not on the tags", async () => {
    const prompt = (budget: string): string =>
      `---\nbudget_tokens: ${budget}\n---\n<section key="a">\n$name\n</section>\n<section key="b">\n${words(20)}\n</section>`;
    const countTokens = (text: string): number => text.split(/\s+/).length;
    const check = (budget: string): Promise<string[]> =>
      messages({ ...identity, "prompts/a.md": prompt(budget) }, { countTokens });
    expect(await check("22")).toEqual([]);
    expect(await check("21")).toEqual([
      "the prompt has 22 tokens, its budget is 21; shorten it or raise the budget",
    ]);
    expect(await check("{ section: 19, sections: { a: 1 } }")).toEqual([
      expect.stringMatching(/^section "b" \(.*a\.md:7\) has 20 tokens, its budget is 19;/),
      expect.stringMatching(/^section "a" \(.*a\.md:4\) has 2 tokens, its budget is 1;/),
    ]);
    expect(await check("{ sections: { c: 1 } }")).toEqual([
      'there is a budget for section "c" and no such section; correct its key',
    ]);
  });

  it("do not need values for declared inputs", async () => {
    const prompt =
      "---\nbudget_tokens: 5\ninput: [{ name: topic }, { name: n, type: number, default: 3 }]\n---\n$topic $n";
    expect(await found({ "prompts/a.md": prompt })).toEqual([]);
  });

  it("are counted with a real tokenizer, whatever the text", async () => {
    const count = await loadTokenCounter();
    expect(count("Hello, world!")).toBe(4);
    expect(count("<|endoftext|>")).toBeGreaterThan(1);
    for (const unit of ["a", " ", "\n", "é", "ab "]) {
      expect(count(unit.repeat(300_000))).toBeGreaterThan(1000);
    }
  });
});

describe("configuration", () => {
  it("that is broken or cannot become variables", async () => {
    expect(await found({ "config/journal.json": '{\n"a": x}', "prompts/a.md": "a" })).toEqual([
      "config/journal.json:2:6 error invalid-config",
    ]);
    const twice = '{"identity": {"name": "Ada",\n"name": "Bo"}}';
    expect(await found({ "config/journal.json": twice, "prompts/a.md": "$name" })).toEqual([
      "config/journal.json:2:1 error invalid-config",
    ]);
    expect(await found({ "config/journal.json": '{\n "identity": [1]}', "prompts/a.md": "a" })).toEqual([
      "config/journal.json:2:2 error invalid-config",
    ]);
    const files = { "config/journal.json": '{"identity": {"a": [{}], "b": "x"}}', "prompts/a.md": "$b" };
    expect(await found(files)).toEqual(["config/journal.json:1:15 error invalid-config"]);
  });

  it("with fields that become one variable, both named, at the line of the second", async () => {
    const files = {
      "config/journal.json": '{"identity": {\n  "a_b": 1,\n  "a": {\n    "x": 0,\n    "b": 2 } } }',
      "prompts/a.md": "$a_b $a_x",
    };
    expect(await found(files)).toEqual(["config/journal.json:5:5 error invalid-config"]);
    expect(await messages(files)).toEqual(["identity.a_b and identity.a.b both become $a_b; rename one"]);
  });

  it("with a field that looks like a slip", async () => {
    const files = {
      "config/journal.json": '{ "own": 1,\n  "identiy": { "name": "Ada" } }',
      "prompts/a.md": "$name",
    };
    expect(await found(files)).toEqual([
      "config/journal.json:2:3 warning unknown-metadata",
      "prompts/a.md:1:1-6 error undefined-variable",
    ]);
    const [slip, use] = await messages(files);
    expect(slip).toBe("identiy has no meaning here; did you mean identity?");
    expect(use).toMatch(
      /^\$name is not defined; it stands in identiy of .*journal\.json; rename identiy to identity \(for/,
    );
  });
});

describe("a fault that hides others", () => {
  it("is told alone: a journal.json, an input block, a template that cannot be read", async () => {
    const prompt = { "prompts/a.md": "$name $preferred $Name" };
    const config = (text: string): Promise<string[]> => found({ ...prompt, "config/journal.json": text });
    expect(await config('{"identity": {"name": "Ada"')).toEqual([
      "config/journal.json:1:28 error invalid-config",
    ]);
    expect(await config("[]")).toEqual(["config/journal.json:1:1 error invalid-config"]);
    expect(await config('{"identity": {"name": [[]], "preferred": "A"}}')).toEqual([
      "config/journal.json:1:15 error invalid-config",
    ]);
    expect(await found({ "prompts/a.md": "---\ninput: [topic]\n---\n$topic" })).toEqual([
      "prompts/a.md:2:9-14 error metadata-type",
    ]);
    expect(await found({ "prompts/a.md": "---\ninput: [{ name: topic }]\n\n$topic" })).toEqual([
      "prompts/a.md:1:1-4 error unclosed-frontmatter",
    ]);
    expect(
      await found({
        "prompts/a.md": '---\ninput: { topic: string }\n---\n<section key="a">$t</section>',
        "templates/t.md": "---\n: [\n---\n$topic $u",
        "templates/u.md": "u",
      }),
    ).toEqual(["templates/t.md:2:1 error invalid-frontmatter"]);
    expect(await found({ "prompts/a.md": "---\n: [\n---\n$t", "templates/t.md": "t" })).toEqual([
      "prompts/a.md:2:1 error invalid-frontmatter",
    ]);
  });
});

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

  it("of hostile files are read to their end", async () => {
    const dir = writeFolder({
      "prompts/a.md": "$undefined ${x-} \n".repeat(5_000),
      "prompts/b.md": `---\nnote: |\n${`  k${" ".repeat(990)}x\n`.repeat(500)}title: 5\n---\n`,
      "prompts/c.md": '<section key="a">'.repeat(5_000),
    });
    const result = await checkPaths([dir]);
    expect(result.findings.length).toBeGreaterThanOrEqual(15_000);
    expect(result.findings.find(({ code }) => code === "metadata-type")?.line).toBe(503);
    expect(formatText(result).length).toBeGreaterThan(500_000);
  });

  it("that share a faulty template report it once", async () => {
    expect(await found({ "prompts/a.md": "$t", "prompts/b.md": "$t", "templates/t.md": "$nobody" })).toEqual([
      "templates/t.md:1:1-8 error undefined-variable",
    ]);
  });
});
