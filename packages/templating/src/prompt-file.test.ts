import { isPlainObject } from "@promptfold/contract";
import fc from "fast-check";
import matter from "gray-matter";
import { CORE_SCHEMA, load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { FrontmatterError } from "./errors.ts";
import { checkMetadata, promptKind, tokenBudget } from "./metadata.ts";
import { parsePromptFile } from "./prompt-file.ts";

function parse(source: string) {
  return parsePromptFile(source, { file: "p.md" });
}

/** The place and message of a file's error. */
function fault(source: string): string {
  try {
    parse(source);
  } catch (error) {
    expect(FrontmatterError.isInstance(error)).toBe(true);
    return (error as FrontmatterError).message;
  }
  return "no error";
}

describe("fences are exact", () => {
  it.each([
    ["---\na: 1\n---\nb", { a: 1 }, "b"],
    ["---\n---\nb", {}, "b"],
    ["---\n# only a comment\n---\nb", {}, "b"],
    ["\n \n---\na: 1\n---", { a: 1 }, ""],
    ["---\na: 1\n--- x\n---\nb", "error", ""],
    ["---\na: |\n  --- x\n  ----\n---\nb", { a: "--- x\n----\n" }, "b"],
    ["--- \na: 1\n---\nb", {}, "--- \na: 1\n---\nb"],
    ["----\na: 1\n----\nb", {}, "----\na: 1\n----\nb"],
    ["text\n---\na: 1\n---\nb", {}, "text\n---\na: 1\n---\nb"],
    ["---\na: 1\nb", {}, "---\na: 1\nb"],
    ["---toml\na = 1\n---\nb", {}, "---toml\na = 1\n---\nb"],
    ['{\n"a": 1\n}\nb', { a: 1 }, "b"],
    ['{\n"a": 1 }\nb', {}, '{\n"a": 1 }\nb'],
    ['{\n"a": {"b": "}\\""}\n}', { a: { b: '}"' } }, ""],
    ['{ \n"a": 1\n}\nb', {}, '{ \n"a": 1\n}\nb'],
    ['{\n"a": 1\n}}\n}\nb', "error", ""],
    ["{\nnot json\n}\nb", "error", ""],
    ["", {}, ""],
    ["\n   indented\n", {}, "   indented"],
  ])("%j", (source, metadata, body) => {
    if (metadata === "error") {
      expect(() => parse(source)).toThrow(FrontmatterError);
      return;
    }
    const file = parse(source);
    expect(file.metadata).toEqual(metadata);
    expect(file.body).toBe(body);
    expect(file.text.slice(file.bodyStart, file.bodyStart + body.length)).toBe(body);
  });

  it("says where a block that never closes opens", () => {
    expect(parse("\n---\na: 1\n").unclosedFrontmatter).toBe(1);
    expect(parse('{\n"a": 1,\n').unclosedFrontmatter).toBe(0);
    expect(parse("a: 1\n").unclosedFrontmatter).toBeUndefined();
  });
});

describe("a broken block", () => {
  it("is placed in the author's lines and columns", () => {
    expect(fault('\n{\n"a": 1,\n"b": x\n}\n')).toBe(
      "p.md:4:6: the frontmatter is not valid JSON: Unexpected character 'x'; texts and names stand in double quotes, " +
        "with a comma between two entries and none after the last; if this is the prompt's own text, put two lines that " +
        "are exactly --- before it",
    );
    expect(fault("---\nok: 1\nb: [1\n---\n")).toMatch(/^p\.md:\d:\d+: the frontmatter is not valid YAML: /);
    expect(fault("---\na: b: c\n---\n")).toBe(
      "p.md:2:5: the frontmatter is not valid YAML: a second colon stands on this line; put the text that holds it in quotes",
    );
    expect(fault("---\r\na: 1\r\na: 2\r\n---\r\n")).toMatch(
      /^p\.md:3:1: .* the key a occurs twice; remove one$/,
    );
  });

  it("may be no mapping at all", () => {
    expect(fault("---\njust words\n---\n")).toMatch(
      /^p\.md:2:1: the frontmatter is "just words"; write "name: value" lines/,
    );
    expect(fault("---\n- a\n---\n")).toMatch(/the frontmatter is a list; write/);
  });

  it("runs no code and knows no other types", () => {
    for (const type of [
      "!!js/function 'function(){}'",
      "!!js/undefined ''",
      "!!timestamp 2024-01-01",
      "!x y",
    ]) {
      expect(fault(`---\na: ${type}\n---\n`)).toMatch(/unknown tag/);
    }
  });

  it("cannot exhaust memory or the stack", () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (const [previous, next] of ["a", "b", "c", "d", "e", "f", "g"].map((name, index) => [
      name,
      "bcdefgh"[index],
    ])) {
      bomb.push(`${next}: &${next} [${Array.from({ length: 10 }, () => `*${previous}`).join(", ")}]`);
    }
    expect(fault(`---\n${bomb.join("\n")}\n---\n`)).toMatch(/more than 100000 values/);
    expect(fault("---\na: &a {b: *a}\n---\n")).toMatch(/levels deep|unidentified alias/);
    expect(fault(`---\na: ${"[".repeat(100_000)}\n---\n`)).toMatch(/^p\.md:/);
    expect(fault(`{\n"a":\n${"[".repeat(100_000)}\n}\n`)).toMatch(/^p\.md:/);
    expect(fault(`{\n"a":\n${"[".repeat(100_000)}${"]".repeat(100_000)}\n}\n`)).toMatch(/levels deep/);
    expect(parse(`---\n${"\n".repeat(1_000_000)}a: 1\n---\n`).metadata).toEqual({ a: 1 });
    expect(parse(`{\n${"}\n".repeat(300_000)}`).body).toContain("}");
  });
});

describe("metadata", () => {
  it("follows the YAML 1.2 core schema", () => {
    const { metadata } = parse(
      "---\na: 012\nb: 0o14\nc: yes\nd: 2024-01-01\ne: 1_000\nf: null\ng: true\nh: 1e3\n---\n",
    );
    expect(metadata).toMatchObject({ c: "yes", d: "2024-01-01", f: null, g: true, h: 1000 });
  });

  it("is shared with nobody, not even between aliases", () => {
    const { metadata } = parse("---\na: &x {k: 1}\nb: *x\n---\n");
    expect(metadata).toEqual({ a: { k: 1 }, b: { k: 1 } });
    expect(metadata["a"]).not.toBe(metadata["b"]);
    expect(parse("---\na: {k: 1}\n---\n").metadata["a"]).not.toBe(
      parse("---\na: {k: 1}\n---\n").metadata["a"],
    );
  });

  it("keeps keys named like prototype members as own keys", () => {
    for (const source of [
      "---\n__proto__: {x: 1}\nconstructor: c\n---\n",
      '{\n"__proto__": {"x": 1},\n"constructor": "c"\n}\n',
    ]) {
      const { metadata } = parse(source);
      expect(Object.keys(metadata)).toEqual(["__proto__", "constructor"]);
      expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    }
  });

  it("is what gray-matter with safe engines reads from the same block", () => {
    const line = fc.constantFrom(
      "a: 1",
      "b: [x, 2]",
      "c:",
      "  d: e",
      "# note",
      "",
      "t: 2024-01-01",
      "- i",
      "q: 'x'",
      "w: |",
      "  --",
      "k: {a: b}",
    );
    const safe = {
      engines: { yaml: (text: string) => load(text, { schema: CORE_SCHEMA }) ?? {} },
    };
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), (lines) => {
        const source = `---\n${lines.join("\n")}\n---\nbody`;
        let expected: unknown;
        try {
          expected = matter(source, safe).data;
        } catch {
          expect(() => parse(source)).toThrow(FrontmatterError);
          return;
        }
        if (!isPlainObject(expected)) expect(() => parse(source)).toThrow(FrontmatterError);
        else expect(parse(source).metadata).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it("never comes from a body, whatever the text is", () => {
    const unit = fc.constantFrom(
      "---\n",
      "{\n",
      "}\n",
      '"a": 1\n',
      "a: 1\n",
      "text\n",
      "\n",
      " ",
      '{"',
      "--- \n",
      "}",
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 10 }), (units) => {
        const source = units.join("");
        try {
          const file = parse(source);
          const rest = file.text.slice(file.frontmatter?.bodyStart ?? 0);
          expect(file.body).toBe(rest.replace(/^(?:[ \t]*\n)+/, "").replace(/[ \t\n]+$/, ""));
          if (file.frontmatter === undefined) expect(file.metadata).toEqual({});
        } catch (error) {
          expect(FrontmatterError.isInstance(error)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("metadata with a meaning", () => {
  it("says what kind of prompt a file is", () => {
    expect(promptKind({ tools: ["host"], schedule: "daily" })).toBe("agent");
    expect(promptKind({ schedule: "daily" })).toBe("generator");
    expect(promptKind({ tools: null, schedule: "daily" })).toBe("generator");
    expect(promptKind({})).toBe("prompt");
    expect(promptKind(JSON.parse('{"__proto__": 1}') as Record<string, unknown>)).toBe("prompt");
  });

  it("is checked for its types, and strangers are kept", () => {
    expect(checkMetadata({ title: "T", tier: 2, anything: { at: "all" } })).toEqual([]);
    const wrong = {
      title: 5,
      max_output_tokens: -1,
      tools: 3,
      input: [{ name: "1x" }],
      budget_tokens: "many",
    };
    expect(checkMetadata(wrong).map(({ path }) => path[0])).toEqual([
      "title",
      "tools",
      "max_output_tokens",
      "budget_tokens",
      "input",
    ]);
  });

  it("gives budgets in one form", () => {
    expect(tokenBudget({ budget_tokens: 10 })).toEqual({ file: 10 });
    expect(tokenBudget({ budget_tokens: { section: 5, sections: { a: 1 } } })).toEqual({
      section: 5,
      sections: { a: 1 },
    });
    expect(tokenBudget({})).toEqual({});
    expect(tokenBudget({ budget_tokens: "x" })).toEqual({});
  });
});
