import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidMetadataError } from "./errors.ts";
import { checkMetadata, inputDeclarations, tokenBudget } from "./metadata.ts";
import { parsePromptFile } from "./prompt-file.ts";

/** What is wrong with a block of metadata, one line for each fault. */
function faults(block: string): string[] {
  const { metadata } = parsePromptFile(`---\n${block}\n---\n`, { file: "p.md" });
  return checkMetadata(metadata).map(({ path, message }) => `${path.join(".")} ${message}`);
}

describe("metadata of a wrong type", () => {
  it.each([
    ["title: 5", 'title must be text, and is 5; write title: "5"'],
    [
      "color: #0a7",
      'color must be text, and is empty; write color: "#0a7" (a # begins a comment: put a text that begins with one in quotes)',
    ],
    [
      "title: #1 helper",
      "title must be text, and is empty; write title: A name (a # begins a comment: put a text that begins with one in quotes)",
    ],
    ["tools: [5]", 'tools.0 must be text, and is 5; write "5"'],
    ["tier: [1]", "tier must be a whole number or text, and is a list; write tier: 2"],
    [
      "max_output_tokens: lots",
      'max_output_tokens must be a whole number above 0, and is "lots"; write max_output_tokens: 2000',
    ],
    [
      "thinking_budget: -1",
      "thinking_budget must be a whole number from 0, and is -1; write thinking_budget: 1024",
    ],
    ["budget_tokens: { fil: 4 }", 'budget_tokens has "fil", which means nothing there; did you mean file?'],
    [
      "budget_tokens: { sections: { a: x } }",
      'budget_tokens.sections.a must be a whole number above 0, and is "x"; write sections: { style: 100 }',
    ],
    [
      "input: 5",
      "input must be a list of inputs, or names with types, and is 5; write input: { topic: string }",
    ],
    [
      "input: [topic]",
      'input.0 must be an input with a name, and is "topic"; write { name: topic, type: string }',
    ],
    [
      "input: { a: text }",
      'input.a must be a type (string, number, integer or boolean) or an entry with one, and is "text"; write a: string',
    ],
    ["input: [{ name: a, typ: string }]", 'input.0 has "typ", which means nothing there; did you mean type?'],
    [
      "input: { a: { type: text } }",
      'input.a.type must be string, number, integer or boolean, and is "text"; write type: string',
    ],
    [
      'input: { "a b": string }',
      'input has "a b" for a name; it must be a name of letters, digits and underscores that begins with no digit',
    ],
    [
      "input: [{ name: a }, { name: b }, { name: a, type: number }]",
      'input.2 has the name "a", which input.0 has too; rename one, or remove it',
    ],
    [
      "input: { n: { type: integer, default: lots } }",
      'input.n.default must be a whole number, as type: integer says, and is "lots"; write default: 3',
    ],
    [
      "input: [{ name: n, type: integer, default: 1.5 }]",
      "input.0.default must be a whole number, as type: integer says, and is 1.5; write a whole number, or type: number",
    ],
    [
      'input: { b: { type: boolean, default: "true" } }',
      'input.b.default must be true or false, as type: boolean says, and is "true"; write default: true',
    ],
    [
      "input: { n: { default: 3 } }",
      'input.n.default must be text, since no type is given, and is 3; write default: "3", or add type: integer',
    ],
    [
      "input: { n: { type: string, default: true } }",
      'input.n.default must be text, as type: string says, and is true; write default: "true"',
    ],
    [
      "input: { d: { required: true, default: x } }",
      "input.d has a default, and required: true, with which nothing takes it; remove one of the two",
    ],
    [
      "input: { d: { type: number, default: .nan } }",
      "input.d.default must be text, a finite number, true or false, and is NaN; write default: none",
    ],
    [
      "input: { d: { type: number, default: .inf } }",
      "input.d.default must be text, a finite number, true or false, and is Infinity; write default: none",
    ],
    [
      "input: { __proto__: 3 }",
      "input.__proto__ must be a type (string, number, integer or boolean) or an entry with one, and is 3; write topic: string",
    ],
    [
      "budget_tokens: { sections: { __proto__: 0, _: 3 } }",
      "budget_tokens.sections.__proto__ must be a whole number above 0, and is 0; write sections: { style: 100 }",
    ],
    ["title: .inf", "title must be text, and is Infinity; write title: A name"],
    ...["yes", "on", '"true"', "1"].map((written) => [
      `input: { a: { required: ${written} } }`,
      `input.a.required must be true or false, and is ${written.length > 1 ? JSON.stringify(written.replaceAll('"', "")) : written}; write required: true`,
    ]),
    [
      "input: { a: { required: off } }",
      'input.a.required must be true or false, and is "off"; write required: false',
    ],
    [
      "input: { a: { required: maybe } }",
      'input.a.required must be true or false, and is "maybe"; write required: true or required: false',
    ],
    ...[
      ["int", "integer"],
      ["float", "number"],
      ["bool", "boolean"],
      ["str", "string"],
      ["intger", "integer"],
    ].map(([written = "", meant = ""]) => [
      `input: { a: { type: ${written} } }`,
      `input.a.type must be string, number, integer or boolean, and is "${written}"; write type: ${meant}`,
    ]),
    [
      "input: { a: { type: date } }",
      'input.a.type must be string, number, integer or boolean, and is "date"; write one of these, such as type: string',
    ],
    [
      "input: { a: int }",
      'input.a must be a type (string, number, integer or boolean) or an entry with one, and is "int"; write a: integer',
    ],
    [
      "input: { a: { type: boolean, default: yes } }",
      'input.a.default must be true or false, as type: boolean says, and is "yes"; write default: true',
    ],
    [
      "input: { a: { type: boolean, default: maybe } }",
      'input.a.default must be true or false, as type: boolean says, and is "maybe"; write default: true or default: false',
    ],
    [
      'input: { a: { type: integer, default: "7" } }',
      'input.a.default must be a whole number, as type: integer says, and is "7"; write default: 7',
    ],
    [
      'input: { a: { type: number, default: "1,500.5" } }',
      'input.a.default must be a number, as type: number says, and is "1,500.5"; write default: 1500.5',
    ],
    [
      'max_output_tokens: "2048"',
      'max_output_tokens must be a whole number above 0, and is "2048"; write max_output_tokens: 2048',
    ],
    [
      'thinking_budget: "0"',
      'thinking_budget must be a whole number from 0, and is "0"; write thinking_budget: 0',
    ],
    [
      'budget_tokens: { sections: { a: "90" } }',
      'budget_tokens.sections.a must be a whole number above 0, and is "90"; write a: 90',
    ],
  ])("%s is told with what to write", (block, message) => {
    expect(faults(block)).toEqual([message]);
  });

  it("is told in every case, all faults at once", () => {
    expect(faults("title: 5\ntier: [1]\ninput: { a: { required: 1, default: [2] } }")).toHaveLength(4);
    const field = fc.constantFrom(
      ..."title color schedule tier tools max_output_tokens thinking_budget budget_tokens input".split(" "),
    );
    const part = fc.constantFrom("name", "type", "file", "sections", "required", "__proto__", "a b");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, -1, 0.5, 7, "text", "string"),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(part, tie("value"), { maxKeys: 2 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(field, value, { maxKeys: 3 }), (metadata) => {
        for (const { path, message } of checkMetadata(metadata)) {
          expect(path.length).toBeGreaterThan(0);
          expect(message).toMatch(/^(?:must be .+, and is .+; write .+|has .+; .+)$/s);
          expect(message).not.toMatch(/something else|undefined|there are $/);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("leaves names that objects inherit be names", () => {
    const read = (block: string) => parsePromptFile(`---\n${block}\n---\n`, { file: "p.md" });
    expect(inputDeclarations(read("input: { __proto__: integer, constructor: number }"))).toEqual([
      { name: "__proto__", type: "integer", required: true },
      { name: "constructor", type: "number", required: true },
    ]);
    const { sections = {} } = tokenBudget(read("budget_tokens: { sections: { __proto__: 3 } }").metadata);
    expect(Object.entries(sections)).toEqual([["__proto__", 3]]);
  });

  it("stops a caller who needs it, at the line of the field", () => {
    const file = parsePromptFile("---\ntitle: T\ninput: 5\n---\n", { file: "p.md" });
    expect(() => inputDeclarations(file)).toThrow(InvalidMetadataError);
    expect(() => inputDeclarations(file)).toThrow(/^p\.md:3:1: the frontmatter's input must be a list/);
    const { metadata } = file;
    expect(() => inputDeclarations({ file: "p.md", metadata })).toThrow(
      /^p\.md: the frontmatter's input must/,
    );
  });
});
