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
    ["--- \ntitle: x\n---\nbody", /^1:1-4 near-frontmatter: .+; remove the blanks, or write \*\*\*/],
    [" ---\ntitle: x\n---\nbody", /^1:1-5 near-frontmatter: /],
    ["\n \n  ---\t\r\ntitle: x\n---\nbody", /^3:1-6 near-frontmatter: /],
    ["\u00a0---\ntitle: x\n---", /^1:1-5 near-frontmatter: /],
    ['{ \n"title": "x"\n}\nbody', /^1:1-2 near-frontmatter: .+; remove the blanks, or begin /],
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
    ["---\ntitle: x\n  ---\nbody", /^1:1-4 unclosed-frontmatter: .+ in line 3: remove them$/],
    ['\n{\n"title": "x"\n}  \nbody', /^2:1-2 unclosed-frontmatter: .+ blanks stand beside the } in line 4: /],
    ["---\ntitle: x\nbody", /^1:1-4 unclosed-frontmatter: .+; end it with a line that is exactly ---$/],
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
    "{title}",
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
      /^p\.md:2:13: the } that ends .+; put it on a line of its own$/,
    );
    expect(fault('{\n"title": x\n} \n}\n')).toMatch(/^p\.md:2:10: the frontmatter is not valid JSON/);
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
