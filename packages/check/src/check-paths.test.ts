import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { listPrompts } from "@promptfold/templating/node";
import { describe, expect, it } from "vitest";
import { checkPaths, type CheckOptions } from "./check-paths.ts";
import { loadTokenCounter } from "./count-tokens.ts";
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

describe("many faults", () => {
  it("of hostile files are found to their end", async () => {
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

  it("of one template are told once", async () => {
    expect(await found({ "prompts/a.md": "$t", "prompts/b.md": "$t", "templates/t.md": "$nobody" })).toEqual([
      "templates/t.md:1:1-8 error undefined-variable",
    ]);
  });
});
