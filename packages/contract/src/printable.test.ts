import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable } from "./printable.ts";

describe("printable", () => {
  it.each([
    ["\u001b[31mred\u0007", "\\u001b[31mred\\u0007"],
    ["a\u009b2J\u007f\r", "a\\u009b2J\\u007f\\u000d"],
    ["\u202e\u2066\u061c\u200f\u2028", "\\u202e\\u2066\\u061c\\u200f\\u2028"],
    ["tab\tline\n é 😀 ↵", "tab\tline\n é 😀 ↵"],
  ])("shows %j", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("leaves nothing that a terminal obeys or that turns the reading direction, and all else as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const shown = printable(text);
        expect(shown).not.toMatch(/(?![\t\n])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
        expect(shown.replaceAll(/\\u[0-9a-f]{4}/g, "")).toBe(
          text.replaceAll(/(?![\t\n])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]|\\u[0-9a-f]{4}/gu, ""),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});
