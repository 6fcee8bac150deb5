import {
  hashText,
  parseSections,
  sectionEvents,
  SectionSyntaxError,
  serializeSections,
} from "@promptfold/parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TemplateCycleError } from "./errors.ts";
import { parsePromptFile, type PromptFile } from "./prompt-file.ts";
import { explainSections, promptSections } from "./prompt-sections.ts";
import { explainPrompt, renderPrompt } from "./render-prompt.ts";
import { substitute } from "./substitute.ts";

const runs = { numRuns: 1000 };
const fallback = { fallbackKey: "whole-file" };

function file(source: string, name = "prompts/p.md"): PromptFile {
  return parsePromptFile(source, { file: name });
}

function templates(sources: Record<string, string>): Map<string, PromptFile> {
  return new Map(Object.entries(sources).map(([name, text]) => [name, file(text, `templates/${name}.md`)]));
}

function contents(sections: readonly { key: string; content: string }[]) {
  return sections.map(({ key, content }) => ({ key, content }));
}

/** What a value could try: tags, placeholders, fences, code tags, control characters. */
const value = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<section key="rules">',
        "</section>",
        "<section",
        "</section",
        ">",
        ' key="x">',
        "&lt;section>",
        "&amp;lt;/section>",
        "$name",
        "${other}",
        "$$",
        "$",
        "---\n",
        "{\n",
        "}\n",
        "<codemode>",
        "</codemode>",
        "\u0000",
        "\u001b[31m",
        "\r\n",
        "\n",
        " ",
        "$t",
      ),
      fc.string({ unit: "binary", maxLength: 6 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

/** Authored text without dollars that a parser could stumble over. */
const authored = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<section key="a">',
        '<section key="b">',
        "</section>",
        "<section>",
        "<section",
        "&lt;section ",
        "&lt;/section>",
        "&amp;lt;section>",
        "\n",
        "  ",
        "text",
        "\r\n",
      ),
      fc.string({ maxLength: 5 }).map((text) => text.replaceAll("$", "")),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("values are inert", () => {
  it("whatever they hold, placed directly and through templates: no section, key or order comes from them", () => {
    const prompt = file(
      '<section key="user">\n[$name]$t\n</section>\nloose $other\n<section key="b">$name$name</section>',
    );
    const known = templates({ t: "T($other)$u", u: '</section>\n\n<section key="u">\nU $name.' });
    fc.assert(
      fc.property(value, value, (name, other) => {
        const sections = promptSections(
          prompt,
          { context: { name }, identity: { other }, templates: known },
          fallback,
        );
        expect(contents(sections)).toEqual([
          { key: "user", content: `[${name}]T(${other})` },
          { key: "u", content: `U ${name}.` },
          { key: "whole-file", content: `loose ${other}` },
          { key: "b", content: name + name },
        ]);
        const read = parseSections(serializeSections(sections), fallback);
        expect(read.map(({ key }) => key)).toEqual(["user", "u", "whole-file", "b"]);
        for (const { payload } of sectionEvents(sections, { base: "b" })) expect(payload.role).toBe("system");
      }),
      runs,
    );
  });

  it("in a key they are not put in at all", () => {
    const prompt = file('<section key="$name">x</section>');
    expect(contents(promptSections(prompt, { context: { name: 'a"><section key="b' } }, fallback))).toEqual([
      { key: "$name", content: "x" },
    ]);
  });

  it("a value that names a template or a variable stays text", () => {
    const known = templates({ t: "TEMPLATE" });
    expect(renderPrompt(file("$v $t"), { context: { v: "$t ${t}" }, templates: known })).toBe(
      "$t ${t} TEMPLATE",
    );
  });
});

describe("templates", () => {
  it("are authored text: they may hold whole sections, and their faults are found", () => {
    const known = templates({ rules: '<section key="rules">\nobey $name\n</section>' });
    const prompt = file('<section key="a">A</section>\n\n$rules');
    expect(
      contents(promptSections(prompt, { context: { name: "Ada" }, templates: known }, fallback)),
    ).toEqual([
      { key: "a", content: "A" },
      { key: "rules", content: "obey Ada" },
    ]);
  });

  it("form no placeholder and no tag across their borders", () => {
    const known = templates({ half: "nam", close: "ion>", open: 'ion key="x">', dollar: "a$", none: "" });
    const context = { name: "VALUE", x: "X" };
    const bind = (source: string) =>
      contents(promptSections(file(source), { context, templates: known }, fallback));
    expect(bind("$${half}e ${dollar}name")).toEqual([{ key: "whole-file", content: "${half}e a$name" }]);
    expect(bind("a <sect$close b </sect$close")).toEqual([
      { key: "whole-file", content: "a <section> b </section>" },
    ]);
    expect(bind("<sect$open")).toEqual([{ key: "whole-file", content: '<section key="x">' }]);
    expect(bind("&lt;sect$close")).toEqual([{ key: "whole-file", content: "&lt;section>" }]);
    expect(bind("a <section$none")).toEqual([{ key: "whole-file", content: "a <section" }]);
    for (const source of [
      "a <sect$close b </sect$close",
      "<sect$open",
      "&lt;sect$close",
      "a <section$none",
    ]) {
      const sections = promptSections(file(source), { context, templates: known }, fallback);
      expect(contents(parseSections(serializeSections(sections), fallback))).toEqual(contents(sections));
    }
  });

  it("do not stand for a name that context or identity binds", () => {
    const known = templates({ a: "template $a", b: "B" });
    expect(renderPrompt(file("$a $b"), { context: { a: 1 }, identity: { b: "id" }, templates: known })).toBe(
      "1 id",
    );
  });

  it("in a circle are an error that names it, at any length", () => {
    const known = templates({ a: "$b", b: "$c", c: "$b", self: "${self}" });
    expect(() => renderPrompt(file("$a"), { templates: known })).toThrow(TemplateCycleError);
    expect(() => renderPrompt(file("$a"), { templates: known })).toThrow("$b → $c → $b");
    expect(() => renderPrompt(file("$self"), { templates: known })).toThrow("templates/self.md:1:1: ");
    expect(renderPrompt(file("$a"), { context: { c: "ends" }, templates: known })).toBe("ends");
  });

  it("that multiply are capped, whether they hold text or nothing", () => {
    for (const last of ["x", ""]) {
      const levels = Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`l${index}`, `$l${index + 1}`.repeat(2)]),
      );
      const known = templates({ ...levels, l40: last });
      expect(() => renderPrompt(file("$l0"), { templates: known })).toThrow(
        /^prompts\/p\.md: templates expand/,
      );
    }
    const chain = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`c${index}`, `$c${index + 1}`]),
    );
    expect(() => renderPrompt(file("$c0"), { templates: templates(chain) })).toThrow(/more than 100 levels/);
    const large = "v".repeat(1_000_000);
    expect(() => renderPrompt(file("$v".repeat(100)), { context: { v: large } })).toThrow(
      /64000000 characters/,
    );
  });
});

describe("binding agrees with what it is made of", () => {
  it("without placeholders, sections are those of the parser", () => {
    fc.assert(
      fc.property(authored, (text) => {
        const prompt = file(`x${text}`);
        let parsed: unknown;
        try {
          parsed = parseSections(prompt.body, fallback);
        } catch (error) {
          const faults = (error as SectionSyntaxError).diagnostics.map(({ code, line, column }) => [
            code,
            line,
            column,
          ]);
          try {
            promptSections(prompt, {}, fallback);
            expect.unreachable();
          } catch (bound) {
            expect(SectionSyntaxError.isInstance(bound)).toBe(true);
            const { diagnostics } = bound as SectionSyntaxError;
            expect(diagnostics.map(({ code, line, column }) => [code, line, column])).toEqual(faults);
          }
          return;
        }
        expect(contents(promptSections(prompt, {}, fallback))).toEqual(parsed);
      }),
      runs,
    );
  });

  it("in each section it is the substitution of its authored text, entities read first", () => {
    const dollars = fc.array(
      fc.constantFrom("$", "$$", "$v", "${v}", "${", "$w", "x", " ", "\n", "&lt;section>", "}"),
    );
    fc.assert(
      fc.property(dollars, value, (parts, v) => {
        const prompt = file(`<section key="a">\n${parts.join("")}\n</section>`);
        const [section] = promptSections(prompt, { context: { v } }, fallback);
        const [read] = parseSections(prompt.body, fallback);
        expect(section?.content).toBe(substitute(read?.content ?? "", { v }));
      }),
      runs,
    );
  });

  it("an explanation's spans are the text, each from a place the author wrote", () => {
    const known = templates({ t: "T $name\n$other", u: "---\nx: 1\n---\n\n  U$t" });
    const piece = fc.constantFrom(
      "$name",
      "$Name",
      "$t",
      "${u}",
      "$none",
      "$$",
      "\n",
      "text ",
      "${",
      '<section key="a">',
      "</section>",
    );
    fc.assert(
      fc.property(fc.array(piece), value, (parts, name) => {
        const prompt = file(parts.join(""));
        const bindings = { context: { name }, identity: { other: "o" }, templates: known };
        const spans = explainPrompt(prompt, bindings);
        expect(spans.map(({ text }) => text).join("")).toBe(renderPrompt(prompt, bindings));
        for (const span of spans) {
          const source =
            span.file === prompt.file ? prompt : known.get(span.file.replace(/^templates\/|\.md$/g, ""));
          const line = source?.text.split("\n")[span.line - 1]?.slice(span.column - 1) ?? "";
          if (span.variable === undefined) {
            const [first = ""] = span.text.split("\n");
            expect(line.startsWith(first === "$" ? "$" : first)).toBe(true);
          } else {
            expect(line).toMatch(/^\$/);
          }
        }
      }),
      runs,
    );
  });

  it("the explanation of sections joins to their contents", () => {
    const prompt = file('intro $name\n<section key="a">\n$t &lt;section> $Name${gone}\n</section>');
    const bindings = {
      context: { name: "ada" },
      identity: { other: "o" },
      templates: templates({ t: "T\n$other" }),
    };
    const explained = explainSections(prompt, bindings, fallback);
    expect(
      explained.map(({ key, spans }) => ({ key, content: spans.map(({ text }) => text).join("") })),
    ).toEqual(contents(promptSections(prompt, bindings, fallback)));
    expect(explained[1]?.spans).toEqual([
      { text: "T\n", file: "templates/t.md", line: 1, column: 1 },
      {
        text: "o",
        file: "templates/t.md",
        line: 2,
        column: 1,
        variable: { name: "other", tier: "identity" },
      },
      { text: " <section> ", file: "prompts/p.md", line: 3, column: 3 },
      {
        text: "Ada",
        file: "prompts/p.md",
        line: 3,
        column: 17,
        variable: { name: "Name", tier: "context", derivedFrom: "name" },
      },
      { text: "${gone}", file: "prompts/p.md", line: 3, column: 22, unbound: "gone" },
    ]);
  });
});

describe("what authors see", () => {
  it("origins name the file and line where a section begins, and hash its authored text", () => {
    const known = templates({ rules: '---\nx: 1\n---\n\n<section key="rules">\nR\n</section>' });
    const prompt = file('---\ntitle: T\n---\n\nhello $name\n\n<section key="a">\n$name\n</section>\n$rules');
    const sections = promptSections(prompt, { context: { name: "Ada" }, templates: known }, fallback);
    expect(sections.map(({ key, origin }) => [key, origin.file, origin.line])).toEqual([
      ["whole-file", "prompts/p.md", 5],
      ["a", "prompts/p.md", 7],
      ["rules", "templates/rules.md", 5],
    ]);
    expect(sections.map(({ origin }) => origin.hash)).toEqual(
      ["hello $name", "$name", "R"].map((text) => hashText(text)),
    );
    const other = promptSections(prompt, { context: { name: "Bo" }, templates: known }, fallback);
    expect(other.map(({ origin }) => origin)).toEqual(sections.map(({ origin }) => origin));
  });

  it("faults are placed in the file that has them, also inside a template and after frontmatter", () => {
    const known = templates({ t: "---\nx: 1\n---\nfine\n<section>\n" });
    const prompt = file('---\ntitle: T\n---\n\n<section key="a">\n$t\n</section>\n</section>');
    try {
      promptSections(prompt, { templates: known }, fallback);
      expect.unreachable();
    } catch (error) {
      const { diagnostics } = error as SectionSyntaxError;
      expect(diagnostics).toMatchObject([
        {
          code: "nested",
          file: "templates/t.md",
          line: 5,
          column: 1,
          openedAt: { file: "prompts/p.md", line: 5, column: 1 },
        },
      ]);
      expect((error as Error).message).toMatch(/^templates\/t\.md:5:1: .* opened at prompts\/p\.md:5:1;/);
    }
  });

  it("a blank file is one empty section, and a blank run none", () => {
    expect(contents(promptSections(file(" \n"), {}, fallback))).toEqual([{ key: "whole-file", content: "" }]);
    expect(promptSections(file("---\na: 1\n---\n"), {}, fallback)[0]?.origin.line).toBeGreaterThan(0);
    const known = templates({ none: "" });
    expect(
      contents(promptSections(file('$none\n<section key="a">A</section>'), { templates: known }, fallback)),
    ).toEqual([{ key: "a", content: "A" }]);
  });

  it("a file with ten thousand sections and placeholders is bound", () => {
    const prompt = file(
      Array.from(
        { length: 10_000 },
        (_, index) => `<section key="k${index}">\n$name ${index}\n</section>`,
      ).join("\n"),
    );
    const sections = promptSections(prompt, { context: { name: "Ada" } }, fallback);
    expect(sections).toHaveLength(10_000);
    expect(sections[9_999]).toMatchObject({ key: "k9999", content: "Ada 9999", origin: { line: 29_998 } });
  });
});
