import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrontmatterError } from "./errors.ts";
import { parsePromptFile } from "./prompt-file.ts";

/** The error of a file whose frontmatter is this block, in the lines of the block. */
function fault(block: string): string {
  try {
    parsePromptFile(`---\n${block}---\ntext`, { file: "p.md" });
    return "none";
  } catch (error) {
    if (!FrontmatterError.isInstance(error)) throw error;
    return `${error.line - 1}:${error.column} ${error.reason.replace("the frontmatter is not valid YAML: ", "")}`;
  }
}

describe("broken YAML", () => {
  it.each([
    ["title: [Draft] Notes\n", /^1:8 text follows what the \[ here opens; put the whole text in quotes$/],
    ["title: {a} Notes\nb: 1\n", /^1:8 text follows what the \{ here opens; put the whole text in quotes$/],
    ["title: “Notes: the garden”\n", /^1:8 the quotes here are curly, .+ straight ones: "$/],
    ["a: 1\ntitle: ‘Notes: the garden’\n", /^2:8 the quotes here are curly, .+ straight ones: '$/],
    ["title:\u00a0x\n", /^1:7 after title: stands the character U\+00A0 \(a no-break space\), /],
    ["a: 1\ntitle:\u00a0x\nb: 1\n", /^2:7 after title: stands the character U\+00A0/],
    ['title: "open\nb: 2\nc: 3\n', /^1:8 the quote that opens here never closes; add " /],
    ["a: 1\nmeta:\n  t: 'open\nv: 2\n", /^3:6 the quote that opens here never closes; add ' /],
    ['a: "closed"\n"key: 1\n', /^2:1 the quote that opens here never closes/],
    [
      'title: "open\nb: 2\nc: "x"\nd: 1\n',
      /^1:8 the quote that opens here closes only lines below, .+; add " /,
    ],
    ['title: "open\nb: "c"\n', /^1:8 the quote that opens here closes only lines below, /],
    ["a: 1\nt: 'it\nb: it's\nc: 1\n", /^2:4 the quote that opens here closes only .+; add ' /],
    ['a: "two\n  lines" # fine\nb: "c" d\n', /^3:8 text follows the quote that closes before it/],
    ["title: x\n---  \nbody: a: b\n", /^2:1 blanks stand beside the --- here, .+; remove the blanks$/],
    ["title: x\n--- \nbody\n", /^2:1 blanks stand beside the --- here/],
    ["title: x\n  ---\nbody\n", /^2:1 blanks stand beside the --- here/],
    ["title: |\n  x\n  ---\nb: 1\nb: 2\n", /^5:1 the key b occurs twice; remove one$/],
    ["? { a: 1 }\n: b\n", /^1:3 a list or an object stands where a name belongs; put it in quotes, or /],
    ["a: 1\n[a, b]: 1\n", /^2:1 a list or an object stands where a name belongs/],
    ["a: 1\nb: { {c}: 1 }\n", /^2:6 a list or an object stands where a name belongs/],
    ["x: &a { b: 1 }\n*a : 3\n", /^2:1 a list or an object stands where a name belongs/],
    ["? - q\n: 3\n", /^1:3 a list or an object stands where a name belongs/],
    ["? [a]\n", /^1:3 a list or an object stands where a name belongs/],
    ["tools: [a, b\ninput: x\n", /^1:8 the \[ that opens here never closes; add \] /],
    ["a: [1]\nb: {c: [x\n", /^2:8 the \[ that opens here never closes/],
    ["title: {a: 1\n", /^1:8 the \{ that opens here never closes; add \} /],
    ["a: [1 : 2 : 3, 4]\n", /^1:11 there is no comma between two entries; add it/],
    ["a:\n\tb: 1\n", /^2:1 a tab stands where a line is indented; indent with spaces$/],
    ["\ta: 1\n", /^1:1 a tab .+; indent with spaces$/],
    ["a: 1\n\tb: 1\n", /^2:1 a tab .+; indent with spaces$/],
    ["a: 1\nb: 2\na: 3\n", /^3:1 the key a occurs twice; remove one$/],
    ["description: One rule: be brief\n", /^1:22 a second colon .+; put the text that holds it in quotes$/],
    ["title: 'it's'\n", /^1:12 text follows the quote .+ write '' for a quote in it$/],
    ['title: "a "b" c"\n', /^1:12 text follows the quote .+ write \\" for a quote in it$/],
    ["a: 1\n b: 2\n", /^2:2 this line is indented unlike those above it; give /],
    ["a:\n  - b\n c: 1\n", /^3:2 this line is indented unlike those above it; give /],
    ["title:hi\nb: 1\n", /^1:1 this line is no "name: value"; write one, with a space after the colon/],
    ["a: b\nc\n", /^2:1 this line is no "name: value"/],
    ["a: |\nfoo\nb: 1\n", /^2:1 this line is no "name: value"/],
    ["a: |x\n  b\n", /^1:5 nothing may follow \| or > on its line; begin /],
    ["title: @me\n", /^1:8 a text cannot begin with @; put it in quotes$/],
    ["title: `x`\n", /^1:8 a text cannot begin with `; put it in quotes$/],
    ["title: %x\n", /^1:8 a text cannot begin with %; put it in quotes$/],
    ["title: *star\nb: 1\n", /^1:8 a text cannot begin with \*; put it in quotes$/],
    ["a: !foo b\n", /^1:4 an unknown tag stands here; remove it, or .+ in quotes$/],
    [
      'a: "C:\\q"\n',
      /^1:\d a backslash in double quotes .+; write \\\\ for a backslash, or use single quotes$/,
    ],
    ["a: [1,,2]\n", /^1:7 an entry is missing before this comma; write it, or remove the comma$/],
    ["a: \u0001\n", /^1:5 there is a control character here; remove it$/],
    ["a: 1\n...\nb: 2\n", /^2:1 this line ends the YAML, and more follows; remove it$/],
    ["just text\n", /^1:1 the frontmatter is "just text"; write "name: value" lines, or remove its fences$/],
  ])("%j is told where it can be mended, and how", (block, expected) => {
    expect(fault(block)).toMatch(expected);
  });

  it("is not what has brackets, question marks and aliases in other places", () => {
    const block = 'a: "x]: y"\nb: [c, { d: 1 }]\ne: what? [f]\ng: &h i\n*h : j\n? k\n: [l]\nm: { n: [o] }\n';
    expect(fault(block)).toBe("none");
  });

  it("says what to do, whatever is wrong, and names a place inside the block", () => {
    const part = fc.constantFrom(..."ab: -\"'[]{},\n\t|>@*&!%#?\\".split(""), "\n  ", ": ", "- ");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const block = `${parts.join("")}\n`.replaceAll(/^---$/gm, "");
        const found = fault(block);
        if (found === "none") return;
        expect(found).toMatch(/^[1-9]\d*:[1-9]\d* .+; .+/);
        expect(Number(found.split(":")[0])).toBeLessThanOrEqual(block.split("\n").length);
      }),
      { numRuns: 5_000 },
    );
  });

  it("of hostile size is told with its place and a remedy", () => {
    for (const unit of ['a: "x"\n', "[", "{a: ", "- '", "\t", "a: b: c\n"])
      expect(fault(`${unit.repeat(20_000)}\nx: "open\n`)).toMatch(/^\d+:\d+ .+; /);
  });
});

it("says of curly quotes in JSON to write straight ones", () => {
  expect(() => parsePromptFile('{\n“title”: "x"\n}\ntext', { file: "p.md" })).toThrow(
    /^p\.md:2:1: .+ write straight quotes/,
  );
});
