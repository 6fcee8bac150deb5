import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diagnoseSections } from "./diagnose-sections.ts";
import { escapeTags, unescapeTags } from "./escape-tags.ts";
import { normalizeText } from "./normalize-text.ts";
import { parseSections } from "./parse-sections.ts";
import { scanTags } from "./scan-tags.ts";
import { serializeSections } from "./serialize-sections.ts";
import { splitSections } from "./split-sections.ts";

const runs = { numRuns: 1000 };
const fallback = { fallbackKey: "whole-file" };

/** Text made of what a section parser could stumble over. */
const fragment = fc.oneof(
  fc.constantFrom(
    '<section key="a">',
    '<section key="b">',
    "</section>",
    "</section >",
    "</section\n>",
    "</section",
    "<section",
    "<section>",
    "<section/",
    "<section\t",
    "<sections>",
    "&lt;section",
    "&lt;section>",
    "&lt;/section>",
    "&amp;lt;section ",
    "&amp;amp;lt;/section>",
    "&",
    "amp;",
    "lt;",
    "<",
    ">",
    '"',
    "/",
    " ",
    "\n",
    "\n\n",
    "\t",
    "\r",
    "\ufeff",
    "key=",
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const text = fc.array(fragment, { maxLength: 14 }).map((parts) => parts.join(""));
const canonical = text.map((content) =>
  content
    .replace(/\r+\n/g, "\n")
    .replace(/[ \t\r\n]+$/, "")
    .replace(/^(?:[ \t\r]*\n)+/, ""),
);
const key = fc.oneof(
  fc.constantFrom("a", "__proto__", "constructor", " padded ", "identity", "a/b", "$name"),
  fc
    .string({ unit: "binary", minLength: 1, maxLength: 6 })
    .filter((value) => value !== "*" && !/["<>\u0000-\u001f\u007f-\u009f]/.test(value)),
);
const sections = fc.array(fc.record({ key, content: canonical }), { minLength: 1, maxLength: 5 });

describe("parsing and serializing are inverse", () => {
  it("gives back every non-empty list of canonical contents", () => {
    fc.assert(
      fc.property(sections, (list) => {
        expect(parseSections(serializeSections(list), fallback)).toEqual(list);
      }),
      runs,
    );
  });

  it("gives back the bytes of a canonical file", () => {
    fc.assert(
      fc.property(sections, (list) => {
        const file = serializeSections(list);
        expect(serializeSections(parseSections(file, fallback))).toBe(file);
      }),
      runs,
    );
  });

  it("is stable after one pass, whatever the text was", () => {
    fc.assert(
      fc.property(text, (source) => {
        const { sections: found } = diagnoseSections(source, fallback);
        expect(parseSections(serializeSections(found), fallback)).toEqual(found);
      }),
      runs,
    );
  });

  it("lets no content close its section or forge another, canonical or not", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ key, content: text }), { minLength: 1, maxLength: 4 }), (list) => {
        const found = parseSections(serializeSections(list), fallback);
        expect(found.map((section) => section.key)).toEqual(list.map((section) => section.key));
      }),
      runs,
    );
  });
});

describe("entities of literal tags", () => {
  const ending = String.raw`(?:section(?:[ \t\r\n>/]|$)|/section[ \t\r\n]*>)`;
  const literal = new RegExp(`<(?=${ending})|&(?=(?:amp;)*lt;${ending})`, "g");
  const entity = new RegExp(`&((?:amp;)*)lt;(?=${ending})`, "g");
  const entityBeforeMore = new RegExp(`&((?:amp;)*)lt;(?=${ending.replace("|$", "")})`, "g");
  const read = (_: string, levels: string): string => (levels === "" ? "<" : `&${levels.slice(4)}lt;`);

  it("are written and read where the grammar says, and nowhere else", () => {
    fc.assert(
      fc.property(text, (source) => {
        expect(escapeTags(source)).toBe(source.replace(literal, (at) => (at === "<" ? "&lt;" : "&amp;")));
        expect(unescapeTags(source)).toBe(source.replace(entity, read));
        expect(unescapeTags(source, false)).toBe(source.replace(entityBeforeMore, read));
      }),
      runs,
    );
  });
});

describe("reading a text", () => {
  it("takes CRLF for LF and drops a byte-order mark", () => {
    fc.assert(
      fc.property(text, (source) => {
        const lines = source.replaceAll("\r", "").replaceAll("\ufeff", "");
        const windows = "\ufeff" + lines.replaceAll("\n", "\r\n");
        expect(diagnoseSections(windows, fallback)).toEqual(diagnoseSections(lines, fallback));
      }),
      runs,
    );
  });

  it("changes nothing in what was read before, so that reading twice is reading once", () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 3 }), (source, marks) => {
        const once = normalizeText("\ufeff".repeat(marks) + source);
        expect(once).toBe(normalizeText(source));
        expect(normalizeText(once)).toBe(once);
      }),
      runs,
    );
  });

  it("finds the tags that the grammar names and no others", () => {
    fc.assert(
      fc.property(text, (source) => {
        const tags = source.matchAll(/<section(?=[ \t\r\n>/]|$)|<\/section[ \t\r\n]*>/g);
        const found = [...scanTags(source, true)];
        expect(found.map((tag) => tag.start)).toEqual(Array.from(tags, (match) => match.index));
        for (const tag of found) {
          if (tag.kind === "open")
            expect(source.slice(tag.start, tag.end)).toBe(`<section key="${tag.key}">`);
        }
      }),
      runs,
    );
  });

  it("gives a file's sections and one fallback section when an untagged suffix follows", () => {
    const suffix = canonical.filter((content) => content !== "" && !/(?:<|lt;)\/?section/.test(content));
    fc.assert(
      fc.property(sections, suffix, (list, content) => {
        const found = parseSections(`${serializeSections(list)}\n${content}`, fallback);
        expect(found).toEqual([...list, { key: "whole-file", content }]);
      }),
      runs,
    );
  });

  it("keeps what stands before a cut, wherever the cut is", () => {
    const file = [
      "intro",
      '<section key="a">',
      "  A &lt;section> </sections>",
      "</section>",
      "between",
      '<section key="b">B</section >',
      '<section key="c">',
      "C\r\n</section\n>",
      "end",
    ].join("\r\n");
    const whole = parseSections(file, fallback);
    expect(whole.map((section) => section.key)).toEqual([
      "whole-file",
      "a",
      "whole-file",
      "b",
      "c",
      "whole-file",
    ]);
    for (let cut = 0; cut <= file.length; cut += 1) {
      const { sections: found, diagnostics } = diagnoseSections(file.slice(0, cut), fallback);
      const complete = found.slice(0, -1);
      expect(complete).toEqual(whole.slice(0, complete.length));
      expect(diagnostics.length).toBeLessThanOrEqual(1);
      for (const { code } of diagnostics) expect(["unclosed", "invalid-tag"]).toContain(code);
    }
  });
});

describe("pieces of authored text", () => {
  it("form no tag across their borders", () => {
    const file = 'x <section key="a">A</section> y';
    for (let cut = 1; cut < file.length; cut += 1) {
      const { spans, problems } = splitSections([file.slice(0, cut), file.slice(cut)]);
      const inOpen = cut > 2 && cut < 19;
      const inClose = cut > 20 && cut < 30;
      const codes = problems.map((problem) => problem.code);
      if (inOpen) {
        // An opening that is already recognisable is refused; a shorter one is text. Its end closes nothing.
        expect(codes).toEqual(cut > 10 ? ["invalid-tag"] : ["stray-close"]);
      } else if (inClose) {
        expect(codes).toEqual(["unclosed"]);
      } else {
        expect(codes).toEqual([]);
        expect(spans.map((span) => span.key)).toEqual([undefined, "a", undefined]);
      }
    }
  });

  it("cut between tags give what the whole text gives", () => {
    fc.assert(
      fc.property(fc.array(fc.array(sections, { maxLength: 2 }), { minLength: 1, maxLength: 4 }), (files) => {
        const pieces = files.map((file) => `${file.map((list) => serializeSections(list)).join("\n")}\n`);
        expect(splitSections(pieces)).toEqual(splitSections([pieces.join("")]));
      }),
      runs,
    );
  });
});

describe("hostile input of a megabyte", () => {
  it.each([
    "<section",
    "<section ",
    '<section key="',
    '<section key="a">',
    "</section",
    "</section ",
    "</section>",
    "&amp;",
    "&lt;section",
    "&lt;/section ",
    "\r",
    "\n",
    " ",
    "<",
    '<section key="a"></section>',
    '<section key="a">&lt;section></section>\n',
  ])("of %j is read to its end", (unit) => {
    const source = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const { sections: found } = diagnoseSections(source, fallback);
    expect(found.length).toBeGreaterThan(0);
    expect(serializeSections(found).length).toBeGreaterThan(0);
  });

  it("of one tag after a long run of white space is read to its end", () => {
    const spaces = " \n".repeat(500_000);
    expect(diagnoseSections(`</section${spaces}`, fallback).diagnostics).toEqual([]);
    expect(diagnoseSections(`&lt;/section${spaces}x`, fallback).diagnostics).toEqual([]);
  });
});
