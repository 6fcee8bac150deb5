import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { diagnoseSections } from "./diagnose-sections.ts";
import { InvalidSectionKeyError, SectionSyntaxError } from "./errors.ts";
import { parseSections } from "./parse-sections.ts";
import { serializeSections } from "./serialize-sections.ts";

interface Vector {
  name: string;
  input: string;
  fallbackKey: string;
  roundTrip?: boolean;
  expect: { key: string; content: string }[] | { error: string; key?: string };
}

const vectors = JSON.parse(
  readFileSync(new URL("../vectors/parser.json", import.meta.url), "utf8"),
) as Vector[];
const fallback = { fallbackKey: "whole-file" };

describe("the recorded cases", () => {
  it.each(vectors)("$name", ({ input, fallbackKey, roundTrip, expect: expected }) => {
    const { sections, diagnostics } = diagnoseSections(input, { fallbackKey });
    if ("error" in expected) {
      expect(diagnostics.map(({ code }) => code)).toContain(expected.error);
      if (expected.key !== undefined) expect(diagnostics.map(({ key }) => key)).toContain(expected.key);
      expect(() => parseSections(input, { fallbackKey })).toThrow(SectionSyntaxError);
      return;
    }
    expect(diagnostics).toEqual([]);
    expect(sections).toEqual(expected);
    if (roundTrip) expect(serializeSections(sections)).toBe(input);
  });
});

/** Codes with places, as a reader of the diagnostics would check them. */
function faults(source: string) {
  return diagnoseSections(source, fallback).diagnostics.map(
    ({ code, line, column, key, openedAt }) =>
      `${code} ${line}:${column}${key === undefined ? "" : ` ${key}`}${openedAt ? ` from ${openedAt.line}:${openedAt.column}` : ""}`,
  );
}

describe("faults", () => {
  it("names the surplus closing tag when content mentions its own", () => {
    expect(faults('<section key="doc">Write </section> to end it.</section>')).toEqual(["stray-close 1:47"]);
  });

  it("names the nested opening tag, and reports one mistake once", () => {
    expect(faults('<section key="a">1<section key="b">2</section>3</section>')).toEqual([
      "nested 1:19 a from 1:1",
    ]);
  });

  it("refuses other spellings of an opening tag instead of overlooking them", () => {
    expect(faults("<section\n\tkey = 'it\"s'\n>x</section >\n" + '<section key="k2" >y</section>')).toEqual([
      "invalid-tag 1:1",
      "invalid-tag 4:1",
    ]);
  });

  it("names the section whose closing tag is missing, and folds no section into it", () => {
    const source =
      '<section key="a">\nA\n</section>\n<section key="b">\nB\n<section key="c">\nC\n</section>\n';
    expect(faults(source)).toEqual(["nested 6:1 b from 4:1"]);
    expect(diagnoseSections(source, fallback).sections).toEqual([
      { key: "a", content: "A" },
      { key: "b", content: "B" },
      { key: "c", content: "C" },
    ]);
  });

  it("keeps the first line's indentation, in both line ends", () => {
    const source = '<section key="py">\n    def f():\n\treturn 1\n\n</section>';
    const expected = [{ key: "py", content: "    def f():\n\treturn 1" }];
    expect(parseSections(source, fallback)).toEqual(expected);
    expect(parseSections(source.replaceAll("\n", "\r\n"), fallback)).toEqual(expected);
  });

  it("counts columns in UTF-16 units, after a byte-order mark", () => {
    expect(faults("\ufeff𝒳\r\n𝒳 <section>")).toEqual(["invalid-tag 2:4"]);
    expect(faults("\ufeff</section>")).toEqual(["stray-close 1:1"]);
  });

  it("reports every fault, in file order", () => {
    expect(faults('</section>\n<section>\n<section key="a">\n<section>\n')).toEqual([
      "stray-close 1:1",
      "invalid-tag 2:1",
      "unclosed 3:1 a from 3:1",
      "nested 4:1 a from 3:1",
    ]);
  });

  it("says what to do", () => {
    const { diagnostics } = diagnoseSections('<section key="a">\n<section key="b">\n', fallback);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'a section tag inside section "a" opened at 1:1; close "a" with </section> first, or to mention the tag in text, write &lt;section',
      'section "b" is never closed; add </section> after its text',
    ]);
  });
});

describe("content", () => {
  it("loses the indentation of a first line that stands on the tag's own line", () => {
    expect(parseSections('<section key="a">  x\n  y</section>  z', fallback)).toEqual([
      { key: "a", content: "x\n  y" },
      { key: "whole-file", content: "z" },
    ]);
  });

  it("may be empty in a tag, and then stands", () => {
    expect(parseSections('<section key="a"> \n\t</section>', fallback)).toEqual([{ key: "a", content: "" }]);
  });

  it("keeps white space that is not space, tab or line end", () => {
    expect(parseSections("\u00a0x\u00a0", fallback)).toEqual([
      { key: "whole-file", content: "\u00a0x\u00a0" },
    ]);
  });

  it("reads the entities of literal tags outside tags too", () => {
    expect(parseSections("see &lt;section>", fallback)).toEqual([
      { key: "whole-file", content: "see <section>" },
    ]);
  });
});

describe("errors", () => {
  it("carry every diagnostic and a place a reader can go to", () => {
    try {
      parseSections("x\n</section>\n<section>", fallback);
      expect.unreachable();
    } catch (error) {
      expect(SectionSyntaxError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ code: "section-syntax", name: "SectionSyntaxError" });
      expect((error as SectionSyntaxError).diagnostics).toHaveLength(2);
      expect((error as Error).message).toMatch(/^2:1: <\/section> closes nothing; .*\n3:1: /);
    }
  });

  it.each(["", "*", 'a"b', "a>b", "a\nb"])("refuse the fallback key %j", (fallbackKey) => {
    expect(() => parseSections("x", { fallbackKey })).toThrow(InvalidSectionKeyError);
  });
});

it("names what was meant to close a section", () => {
  const message = (source: string): string | undefined =>
    diagnoseSections(source, { fallbackKey: "p" }).diagnostics[0]?.message;
  expect(message('<section key="a">\nx\n</sections>\n')).toBe(
    'section "a" is never closed: </sections> at 3:1 closes nothing; write </section> there',
  );
  expect(message('<section key="a">\nx\n</Sections>\n<section key="b">y</section>')).toBe(
    'a section tag inside section "a" opened at 1:1, which </Sections> at 3:1 does not close; write </section> there',
  );
  expect(message('<section key="a">\nx\nuse </sections> in text\n')).toBe(
    'section "a" is never closed; add </section> after its text',
  );
});
