import { describe, expect, it } from "vitest";
import { diagnoseSections } from "./diagnose-sections.ts";

function explain(text: string): string[] {
  return diagnoseSections(text, { fallbackKey: "prompt" }).diagnostics.map(({ message }) => message);
}

describe("an opening tag of another form", () => {
  it.each([
    '<section name="a">',
    "<section key='a'>",
    "<section key=a>",
    '<section key = "a">',
    '<section  key="a">',
    '<section key="a" >',
    '<section key="a"/>',
    '<section key="a" role="system">',
    '<section class="x" key="a">',
    '<section id="x" key="a">',
    '<section class="a" other="x">',
    '<section "a">',
    "<section a>",
    '<section key="a>',
    '<section key="a"',
  ])("%s is told to be written with its key", (tag) => {
    expect(explain(`${tag}\ntext\n</section>`)).toEqual([
      'no section opens this way; write <section key="a">, or to mention the tag in text, write &lt;section',
    ]);
  });

  it.each(["“a”", "„a“", "‘a’", "«a»", "« a »", "“a", '“a"', "”a”"])(
    "with the key %s is told of its quotes",
    (key) => {
      expect(explain(`<section key=${key}>\ntext\n</section>`)).toEqual([
        'no section opens this way; write <section key="a">, with straight quotes, or to mention the tag in text, write &lt;section',
      ]);
    },
  );

  it("keeps curved quotes and spaces that are in a key", () => {
    expect(explain("<section key=“two words”>")[0]).toContain(
      'write <section key="two words">, with straight',
    );
    expect(explain("<section key='“a”'>")[0]).toContain('write <section key="“a”">, or');
  });

  it.each(["<section>", "<section/>", "<section", "<section\n>", "<section =>"])(
    "%j is told to name its key",
    (tag) => {
      expect(explain(`text ${tag}`)).toEqual([
        'an opening section tag names its key; write <section key="…">, or to mention the tag in text, write &lt;section',
      ]);
    },
  );

  it.each([
    '<section key="">',
    '<section key="*">',
    '<section key="a<b">',
    '<section key="a>b">',
    '<section key="a\u0007">',
  ])("%j is told what a key may be", (tag) => {
    expect(explain(tag)).toEqual([
      'a key is not empty, not *, and has no ", <, > and control characters; correct it, or to mention the tag in text, write &lt;section',
    ]);
  });

  it("is explained each time, however many follow", () => {
    for (const unit of ["<section ", "<section key=“", "<section a=", '<section "', "<section a a a "]) {
      const count = Math.ceil(500_000 / unit.length);
      expect(explain(unit.repeat(count))).toHaveLength(count);
    }
  });
});
