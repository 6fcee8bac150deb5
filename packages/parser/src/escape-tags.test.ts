import fc from "fast-check";
import { expect, it } from "vitest";
import { escapeTags, unescapeTags } from "./escape-tags.ts";
import { splitSections } from "./split-sections.ts";

it("finds tags and entities in long text, whatever character is rare in it", () => {
  const padding = fc
    .constantFrom("x", ";", "t;", "lt;", "s", "<", "&amp;s ", "&lt;", "</", "section")
    .map((unit) => unit.repeat(3_000));
  const part = fc.oneof(
    fc.constantFrom(
      "<section>",
      "</section>",
      "&lt;section ",
      "&amp;lt;/section >",
      "&amp;amp;lt;section/",
      "\n",
    ),
    padding,
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const content = parts.join("").trim();
      const escaped = escapeTags(content);
      expect(splitSections([escaped]).problems).toEqual([]);
      expect(unescapeTags(escaped)).toBe(content);
    }),
    { numRuns: 1_000 },
  );
});
