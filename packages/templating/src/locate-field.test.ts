import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFieldLocator, locateField } from "./locate-field.ts";
import { parsePromptFile } from "./prompt-file.ts";

const read = (...lines: string[]) => parsePromptFile(lines.join("\n"), { file: "p.md" });

describe("locateField", () => {
  it.each([
    ["inside another object", read("---", "meta:", "  tier: 1", "tier: [2]", "---"), 4, 1, 5],
    ["inside a text block", read("---", "notes: |", "  tier: 1", "tier: [2]", "---"), 4, 1, 5],
    ["inside a folded text", read("---", 'notes: "a', "  tier: 1", '  b"', "tier: [2]", "---"), 5, 1, 5],
    ["as a value", read("---", "notes: tier", "tier: [2]", "---"), 3, 1, 5],
    ["in a list", read("---", "a: [tier, { tier: 1 }]", "tier: [2]", "---"), 3, 1, 5],
    ["in a comment", read("---", "# tier: 1", "tier: [2]", "---"), 3, 1, 5],
    ["indented as a whole", read("---", "  a: 1", "  tier: [2]", "---"), 3, 3, 7],
    ["in quotes", read("---", "a: 1", '"tier" : [2]', "---"), 3, 1, 7],
    ["escaped", read("---", "a: 1", '"ti\\u0065r": [2]', "---"), 3, 1, 12],
    ["in braces", read("---", "{a: {tier: 1}, tier: [2]}", "---"), 2, 16, 20],
    ["in the explicit form", read("---", "a: 1", "? tier", ": [2]", "---"), 3, 3, 7],
    ["in JSON", read("{", '"meta": {"tier": 1},', '  "tier": [2]', "}"), 3, 3, 9],
    ["in JSON on one line", read("{", '"a": "tier", "tier": [2]', "}"), 2, 14, 20],
    ["twice in JSON, where the last counts", read("{", '"tier": 1,', '"tier": [2]', "}"), 3, 1, 7],
  ])("finds the field itself: %s", (_, file, line, column, endColumn) => {
    expect(file.metadata["tier"]).toEqual([2]);
    expect(locateField(file, "tier")).toEqual({ line, column, endColumn });
  });

  it("names the block's first line for what is not written in it", () => {
    expect(locateField(read("---", "a: 1", "---"), "tier")).toEqual({ line: 2, column: 1 });
    expect(locateField(read("text"), "tier")).toEqual({ line: 1, column: 1 });
  });

  it("finds every key of every block", () => {
    const key = fc.stringMatching(/^[a-z_]{1,8}$/).filter((name) => !/^(?:true|false|null)$/.test(name));
    const value = fc.constantFrom(
      "x",
      '"q: 1"',
      "|\n  k: 1\n  b: 2",
      "\n  a: 1\n  k: 2",
      "[a, {b: c}]",
      "{a: 1}",
      "",
      "\n- a: 1\n- k",
    );
    const pairs = fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, minLength: 1 });
    fc.assert(
      fc.property(pairs, (written) => {
        const file = read("---", ...written.map(([name, text]) => `${name}: ${text}`), "---");
        const lines = file.text.split("\n");
        const locate = createFieldLocator(file);
        for (const name of Object.keys(file.metadata)) {
          const { line, column } = locate(name);
          expect(column).toBe(1);
          expect(lines[line - 1]).toMatch(new RegExp(`^${name}:`));
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
