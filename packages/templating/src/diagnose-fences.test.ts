import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diagnoseFences } from "./diagnose-fences.ts";
import { FrontmatterError } from "./errors.ts";
import { parsePromptFile } from "./prompt-file.ts";

function diagnose(text: string): string[] {
  return diagnoseFences(parsePromptFile(text, { file: "p.md" })).map(
    ({ code, line, column, endColumn, message }) => `${line}:${column}-${endColumn} ${code}: ${message}`,
  );
}

describe("diagnoseFences", () => {
  it.each([
    [
      "\u200b---\ntitle: x\n---\nbody",
      /^1:2-5 near-frontmatter: the invisible character U\+200B stands before this ---, .+; remove it$/,
    ],
    ['\u200b{\n"title": 1\n}\nbody', /^1:2-3 near-frontmatter: the invisible character U\+200B/],
    [
      "<!-- note\n-->\n\n---\ntitle: x\n---\nbody",
      /^4:1-4 near-frontmatter: text stands above this ---, .+; move it below/,
    ],
    ["# Notes\n---\na: 1\ntitle: x\n---\nbody", /^2:1-4 near-frontmatter: text stands above this ---/],
    [
      '{\n"task": "classify", "labels": ["a"]\n}\nText',
      /^1:1-2 near-frontmatter: this block is read as frontmatter, .+ put two lines that are exactly ---/,
    ],
    ["--- \ntitle: x\n---\nbody", /^1:1-4 near-frontmatter: .+; remove the blanks, or write \*\*\*/],
    [" ---\ntitle: x\n---\nbody", /^1:1-5 near-frontmatter: /],
    ["\n \n  ---\t\r\ntitle: x\n---\nbody", /^3:1-6 near-frontmatter: /],
    ["\u00a0---\ntitle: x\n---", /^1:1-5 near-frontmatter: /],
    ['{ \n"title": "x"\n}\nbody', /^1:1-2 near-frontmatter: .+; remove the blanks, or put two lines/],
    ["---yaml\ntitle: x\n---\nbody", /^1:1-8 near-frontmatter: ---yaml opens no .+; write YAML between/],
    ["--- json\n{}\n---", /^1:1-9 near-frontmatter: .+; write JSON from a line \{ to a line \}$/],
    ["----\ntitle: x\n----\nbody", /^1:1-5 near-frontmatter: .+; write three dashes/],
    ['+++\ntitle = "x"\n+++\nbody', /^1:1-4 near-frontmatter: .+ TOML is not read$/],
    ['{"title": "x", "own": 1}\nbody', /^1:1-25 near-frontmatter: metadata on one line .+ exactly \{, /],
    ["--- ", /^1:1-4 near-frontmatter: /],
    [
      "---\ntitle: x\n--- \nbody",
      /^1:1-4 unclosed-frontmatter: .+; blanks stand beside the --- in line 3: remove/,
    ],
    [
      "---\ntitle: x\n  ---\nbody",
      /^1:1-4 unclosed-frontmatter: .+ in line 3: remove them; if this is a line across the page, write \*\*\*$/,
    ],
    ['\n{\n"title": "x"\n}  \nbody', /^2:1-2 unclosed-frontmatter: .+ blanks stand beside the } in line 4: /],
    [
      "---\ntitle: x\nbody",
      /^1:1-4 unclosed-frontmatter: .+; end it with a line that is exactly ---; if this is a line across/,
    ],
    [
      "{\nuser: hello",
      /^1:1-2 unclosed-frontmatter: .+ exactly }; if this is the prompt's own text, put two lines that are exactly ---/,
    ],
    [
      '{ "title": "x",\n"tools": ["a"]\n}\nText',
      /^1:1-16 near-frontmatter: metadata whose { stands beside it is/,
    ],
    ['{ "own": {\n"title": 1 },\n  "tools": []}\nText', /^1:1-11 near-frontmatter: metadata whose {/],
    ['\n  {"title":\n"x"}', /^2:1-12 near-frontmatter: metadata whose {/],
    [
      "---\rtitle: x\r---\rText",
      /^1:1-22 near-frontmatter: carriage returns end the lines here, so --- opens no/,
    ],
    ['{\r"title": 1\r}\rText', /^1:1-\d+ near-frontmatter: carriage returns .+, so { opens no .+ line feeds/],
  ])("tells of %j", (text, expected) => {
    expect(diagnose(text)).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    "---\ntitle: x\n---\n--- \nbody",
    "    ---\ncode",
    "\t{\n}",
    "text\n--- \ntext\n---",
    '{ "a": 1 }',
    '{ "title": 1 } is what',
    '{ "own":\n1 }\nis no metadata',
    '{ "title":\n1 } is what',
    '{ "title": x,\n1 }',
    "\ufeff\ufeff---\ntitle: x\n---\nText",
    "a\rb\r",
    "{title}",
    "# Notes\n---\ntext\n---\ntext",
    "<!-- c -->\n---\nabout: x\n---",
    '{\n"own": 1\n}\n',
    '{\n"titel": "x"\n}\nText',
    '{\n"own": 1, "title": "x"\n}\nText',
    "{\n}\nText",
    "----\ntext\n----",
    "----\ntitle: x\ntext",
    "---yes\ntext",
    "+++\ntext",
    "{a\n}",
    "--- x",
    "----",
    "",
    "\n\n",
  ])("has nothing to say of %j", (text) => {
    expect(diagnose(text)).toEqual([]);
  });

  it("tells of a closing fence with blanks before a later one, where it stands", () => {
    const fault = (text: string): string => {
      try {
        parsePromptFile(text, { file: "p.md" });
      } catch (error) {
        if (FrontmatterError.isInstance(error)) return error.message;
      }
      return "none";
    };
    const blanks = /^p\.md:3:1: .*blanks stand beside the (?:---|\}) here, .+; remove the blanks$/;
    expect(fault("---\ntitle: x\n---   \nbody\n\n---\nmore")).toMatch(blanks);
    expect(fault('{\n"title": "x"\n}  \nbody\n{\n}\n')).toMatch(blanks);
    expect(fault('{\n"title": "x"} body\n}\n')).toMatch(
      /^p\.md:2:13: the } that ends .+; put it on a line of its own; if this is the prompt's own text, put two/,
    );
    expect(fault('{\n"title": x\n} \n}\n')).toMatch(/^p\.md:2:10: the frontmatter is not valid JSON/);
  });

  it("says what an author does whose text begins with a brace, and that works", () => {
    const text = "{\n  user: hello\n}\nFill.";
    expect(() => parsePromptFile(text, { file: "p.md" })).toThrow(
      /^p\.md:2:\d: the frontmatter is not valid JSON: .+; if this is the prompt's own text, put two lines that are exactly --- before it$/,
    );
    for (const own of [text, "{\nnever closed", "{\n}", '{\n"a": 1} b\n}']) {
      const file = parsePromptFile(`---\n---\n${own}`, { file: "p.md" });
      expect(file).toMatchObject({ metadata: {}, body: own });
      expect(diagnoseFences(file)).toEqual([]);
    }
  });

  it("tells of every first line that is a fence but for blanks, and of no exact one", () => {
    const blank = fc.stringMatching(/^ {0,3}$/);
    fc.assert(
      fc.property(
        blank,
        fc.constantFrom("---", "{"),
        fc.stringMatching(/^[ \t]{0,3}$/),
        (before, fence, after) => {
          const found = diagnose(`${before}${fence}${after}\ntext`);
          const code = before + after === "" ? "unclosed-frontmatter" : "near-frontmatter";
          expect(found).toEqual([expect.stringContaining(code)]);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
