import fc from "fast-check";
import { expect, it } from "vitest";
import { compileTemplate } from "./compile-template.ts";
import { isVariableName } from "./variable-name.ts";

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
