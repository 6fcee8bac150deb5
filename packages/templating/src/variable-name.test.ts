import fc from "fast-check";
import { expect, it } from "vitest";
import { compileTemplate } from "./compile-template.ts";
import { asVariableName, explainName, isVariableName } from "./variable-name.ts";

it("is a variable's name exactly what a placeholder in braces may hold", () => {
  const character = fc.constantFrom("a", "Z", "_", "0", "9", "-", " ", "\n", "é", "$", "{", "}", "");
  fc.assert(
    fc.property(fc.array(character, { maxLength: 5 }), (characters) => {
      const name = characters.join("");
      const [token, ...more] = compileTemplate(`\${${name}}`);
      expect(isVariableName(name)).toBe(token?.name === name && more.length === 0);
    }),
    { numRuns: 5_000 },
  );
  expect(["a", "_1", "A_b", "", "1a", "a-b", "a\n", "ä"].map(isVariableName)).toEqual([
    true,
    true,
    true,
    ...Array.from({ length: 5 }, () => false),
  ]);
});

it("is made from any text that has a letter or a digit, and kept when it is one", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 8 }), (text) => {
      const name = asVariableName(text);
      expect(name === undefined).toBe(!/[A-Za-z0-9]/.test(text));
      if (name !== undefined) expect(isVariableName(name)).toBe(true);
      if (isVariableName(text) && /[A-Za-z0-9]/.test(text)) expect(name).toBe(text);
      expect(explainName(text) === undefined).toBe(isVariableName(text));
    }),
    { numRuns: 5_000 },
  );
  expect(["preferred-name", " first name", "2nd", "日本"].map(asVariableName)).toEqual([
    "preferred_name",
    "first_name",
    "_2nd",
    undefined,
  ]);
  expect(explainName("${a-b}")).toContain('"${a-b}" is no variable\'s name');
  expect(explainName("${a-b}")).toContain("; write a_b");
});
