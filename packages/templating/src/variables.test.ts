import { describe, expect, it } from "vitest";
import { InvalidMetadataError, InvalidVariableError, type VariableProblem } from "./errors.ts";
import { flattenIdentity } from "./identity.ts";
import { requestParameters } from "./metadata.ts";
import { parsePromptFile } from "./prompt-file.ts";
import { renderPrompt } from "./render-prompt.ts";
import { type Bindings, bindVariables } from "./variables.ts";

function render(source: string, bindings: Bindings): string {
  return renderPrompt(parsePromptFile(source, { file: "p.md" }), bindings);
}

function problems(source: string, bindings: Bindings): readonly VariableProblem[] {
  try {
    render(source, bindings);
  } catch (error) {
    if (InvalidVariableError.isInstance(error)) return error.problems;
    throw error;
  }
  return [];
}

describe("identity", () => {
  it("is flattened with underscores at any depth, lists of scalars joined", () => {
    const identity = { a: { b: { c: 1 }, list: ["x", 2, true] }, empty: [], none: null, on: false };
    expect([...flattenIdentity(identity).variables]).toEqual([
      ["a_b_c", "1"],
      ["a_list", "x, 2, true"],
      ["empty", ""],
      ["on", "false"],
    ]);
  });

  it("is at fault when a field cannot become text, or two become one", () => {
    expect(flattenIdentity({ a_b: 1, a: { b: 2 }, list: [{}], day: [null] }).problems).toMatchObject([
      { name: "a_b", code: "ambiguous" },
      { name: "list", code: "unusable-value" },
      { name: "day", code: "unusable-value" },
    ]);
    expect(problems("x", { identity: { list: [[1]] } })).toHaveLength(1);
    expect(flattenIdentity({ a_b: { c: 1 }, a: { b_c: 2 } }).problems).toEqual([
      {
        name: "a_b_c",
        code: "ambiguous",
        message: "identity.a_b.c and identity.a.b_c both become $a_b_c; rename one",
        field: ["a", "b_c"],
      },
    ]);
  });

  it("may have fields named like prototype members", () => {
    const identity = JSON.parse('{"__proto__": {"x": "px"}, "constructor": "c"}') as Record<string, unknown>;
    expect(render("$__proto___x $constructor $Constructor $toString", { identity })).toBe("px c C $toString");
  });
});

describe("uppercase-first versions", () => {
  it("lose to an explicit variable of that name, of any tier", () => {
    expect(render("$Name", { context: { name: "low", Name: "explicit" } })).toBe("explicit");
    expect(render("$Name", { context: { name: "low" }, identity: { Name: "explicit" } })).toBe("explicit");
    const templates = new Map([["Name", parsePromptFile("template", { file: "t.md" })]]);
    expect(render("$Name", { context: { name: "low" }, templates })).toBe("template");
  });

  it("touch the first character only, whatever it is", () => {
    const first = (v: string): string => render("$V", { context: { v } });
    expect(["élan", "ß", "𐐨x", "1a", "", " x"].map(first)).toEqual(["Élan", "SS", "𐐀x", "1a", "", " x"]);
  });

  it("come from context before identity", () => {
    const file = parsePromptFile("", { file: "p.md" });
    const variables = bindVariables(file, { context: { aB: "context" }, identity: { ab: "identity" } });
    expect(variables.get("Ab")).toEqual({ name: "Ab", value: "Context", tier: "context", derivedFrom: "aB" });
  });
});

describe("declared inputs", () => {
  const source = [
    "---",
    "input:",
    "  - name: topic",
    "    description: What it is about",
    "  - name: count",
    "    type: integer",
    "    default: 3",
    "  - name: loud",
    "    type: boolean",
    "    required: false",
    "---",
    "$topic $count $Topic $loud",
  ].join("\n");

  it("are put in, with defaults for what nobody gave", () => {
    expect(render(source, { context: { topic: "roses", loud: true } })).toBe("roses 3 Roses true");
    expect(render(source, { context: { topic: "roses", count: 5 } })).toBe("roses 5 Roses $loud");
    expect(render(source, { context: { topic: "roses" }, identity: { count: 9 } })).toBe(
      "roses 9 Roses $loud",
    );
  });

  it("are reported all at once when missing, unknown or ill-typed", () => {
    const context = { count: 1.5, loud: "yes", topics: "roses", other: 1, none: null, day: "Friday" };
    expect(problems(source, { context }).map(({ code, name }) => `${code} ${name}`)).toEqual([
      "unusable-value none",
      "missing topic",
      "ill-typed count",
      "ill-typed loud",
      "unknown topics",
      "unknown other",
      "unknown none",
    ]);
    expect(problems(source, { context }).map(({ message }) => message)).toContain(
      "$topics is not an input of this prompt; did you mean $topic?",
    );
    expect(() => render(source, {})).toThrow(
      /^p\.md: \$topic \(What it is about\) is required and not given/,
    );
  });

  it("are of their type whoever fills them, the identity and templates too", () => {
    const typed = "---\ninput: { n: integer, m: integer, b: boolean, s: string }\n---\n$n|$m|$b|$s";
    const template = (text: string) => new Map([["m", parsePromptFile(text, { file: "m.md" })]]);
    const wrong = { identity: { n: "abc", b: "yes", s: 5 }, templates: template("lots of text") };
    expect(problems(typed, wrong).map(({ code, message }) => `${code} ${message}`)).toEqual([
      'ill-typed $n must be an integer and is "abc", as identity.n gives it; rename the input or the field, or correct it',
      'ill-typed $m must be an integer and is "lots of text", as the template of that name gives it; rename the input or the template',
      'ill-typed $b must be a boolean and is "yes", as identity.b gives it; rename the input or the field, or correct it',
    ]);
    const right = { identity: { n: 3, b: false, s: 5 }, templates: template(" 4\n") };
    expect(render(typed, right)).toBe("3|4|false|5");
    expect(render(typed, { ...wrong, context: { n: 1, m: 2, b: true } })).toBe("1|2|true|5");
    expect(problems(typed, { templates: template("$x") }).map(({ code, name }) => `${code} ${name}`)).toEqual(
      ["missing n", "ill-typed m", "missing b", "missing s"],
    );
  });

  it("by the thousand are reported, with hints for the first of them", () => {
    const names = (stem: string): string[] => Array.from({ length: 4_000 }, (_, index) => `${stem}${index}`);
    const input = Object.fromEntries(names("topic_").map((name) => [name, { required: false }]));
    const context = Object.fromEntries(names("topik_").map((name) => [name, "x"]));
    const found = problems(`{\n"input": ${JSON.stringify(input)}\n}\n`, { context });
    expect(found).toHaveLength(4_000);
    expect(found[0]?.message).toContain("did you mean $topic_0?");
    expect(found[3_999]?.message).toContain("declare it under input");
  });

  it("may be written as a map, and a wrong declaration is an error", () => {
    const map = "---\ninput: {topic: string, count: {type: number, default: 2}}\n---\n$topic $count";
    expect(render(map, { context: { topic: "x" } })).toBe("x 2");
    expect(() => render("---\ninput: {topic: text}\n---\n$topic", {})).toThrow(InvalidMetadataError);
    expect(() => render("---\ninput: [topic]\n---\n$topic", {})).toThrow(
      /^p\.md:2:9: the frontmatter's input\.0 /,
    );
  });

  it("are not asked for by a file that declares none", () => {
    expect(problems("$x", { context: { anything: 1 } })).toEqual([]);
  });
});

describe("requestParameters", () => {
  it("takes the two fields that become request parameters", () => {
    const metadata = { max_output_tokens: 2048, thinking_budget: 0, title: "T" };
    expect(requestParameters({ file: "p.md", metadata })).toEqual({
      maxOutputTokens: 2048,
      thinkingBudget: 0,
    });
    expect(requestParameters({ file: "p.md", metadata: {} })).toEqual({});
    const wrong = { max_output_tokens: "many" };
    expect(() => requestParameters({ file: "p.md", metadata: wrong })).toThrow(InvalidMetadataError);
    expect(() => requestParameters({ file: "p.md", metadata: wrong })).toThrow(/^p\.md: .*max_output_tokens/);
  });
});
