import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findNearTags } from "./find-near-tags.ts";
import { splitSections } from "./split-sections.ts";

const near = (text: string): string[] => findNearTags(text).map(({ offset, end }) => text.slice(offset, end));

describe("findNearTags", () => {
  it.each([
    '<Section key="x">',
    '<SECTION key="x">',
    "<SECTION",
    "</Section>",
    "</SECTION >",
    '< section key="x">',
    '<\tsection key = "x">',
    "< section>",
    "</ section>",
    "< /section>",
    "</section",
    "</section key>",
    '<section\u00a0key="x">',
    "a <Section\n",
  ])("finds %j, which is text", (text) => {
    expect(near(text)).toHaveLength(1);
    expect(splitSections([text]).problems).toEqual([]);
  });

  it.each([
    '<section key="x">text</section\n>',
    "<section class='a'>",
    "<section",
    "<sections>",
    "<Sections>",
    "<section-title>",
    "<Section.Header>",
    "</sections>",
    "widths < section widths / 2",
    "a < section",
    "the Section key",
    "```jsx\n<Section key={1}>\n</Section>\n```",
    "~~~\n<Section>\n```\n<Section>\n~~~",
    "  ````\n  ```\n  <SECTION>\n  ````",
    "Use `<Section>` and `</Section>` here.",
  ])("leaves %j alone", (text) => {
    expect(near(text)).toEqual([]);
  });

  it("says what to write, and goes on after code", () => {
    const text = "`a` <Section> ```\n<X>\n```\n</Section>\n```\nopen </Section>";
    expect(findNearTags(text).map(({ message }) => message)).toEqual([
      '<Section is no section tag here and stays as text; write <section key="…">, or put it between backticks to mention it',
      "</Section is no section tag here and stays as text; write </section>, or put it between backticks to mention it",
    ]);
  });

  it("never names a tag", () => {
    const part = fc.constantFrom(
      "<section",
      "</section",
      "<Section",
      "< section",
      ' key="a"',
      ">",
      " ",
      "\n",
      "x",
      "`",
      "\u00a0",
      "/",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        const { problems, spans } = splitSections([text]);
        const tags = new Set([
          ...problems.map(({ offset }) => offset),
          ...spans.filter(({ key }) => key !== undefined).map(({ tagStart }) => tagStart),
        ]);
        for (const { offset } of findNearTags(text)) expect(tags.has(offset)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads hostile text to its end", () => {
    for (const unit of [
      "<",
      "< ",
      "<Section ",
      "```\n```\n",
      "`<Section`",
      "</section ",
      "<\t\t",
      `<${" ".repeat(999)}`,
    ]) {
      const hostile = unit.repeat(Math.ceil(500_000 / unit.length));
      const last = findNearTags(`${hostile}\n</Section>`).at(-1);
      expect(last).toMatchObject({
        offset: hostile.length + 1,
        end: hostile.length + 1 + "</Section".length,
      });
    }
  });
});
