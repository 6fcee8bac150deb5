import fc from "fast-check";
import { dump } from "js-yaml";
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

  const block = read(
    "---",
    "input:",
    "  - name: a",
    "    default: 1",
    "  - { name: b, default: { c: 1 } }",
    "  -",
    "    name: c",
    "tools: [host, 5, { a: [1, x] }]",
    "budget_tokens:",
    "  sections: { a: 1, 'b c': 2 }",
    "  file: 3",
    "flow: { list: [one, { name: two }], name: x }",
    "quoted:",
    '  "a": &anchor',
    "    - first",
    "    - second: 2",
    "text: |",
    "  name: x",
    "---",
  );
  const json = read(
    "{",
    '  "input": [',
    '    {"name": "a"},',
    '    {"name": "b", "default": 1}, "x"',
    "  ],",
    '  "budget_tokens": {"sections": {"a": 1, "b": 2}},',
    '  "tools": ["host", 5]',
    "}",
  );

  const cases: readonly [typeof block, (string | number)[], string][] = [
    [block, ["input"], "2:1 input"],
    [block, ["input", 0], "3:5 name: a"],
    [block, ["input", 0, "name"], "3:5 name"],
    [block, ["input", 0, "default"], "4:5 default"],
    [block, ["input", 1], "5:5 { name: b, default: { c: 1 } }"],
    [block, ["input", 1, "default"], "5:16 default"],
    [block, ["input", 1, "default", "c"], "5:27 c"],
    [block, ["input", 2], "7:5 name: c"],
    [block, ["input", 2, "type"], "7:5 name: c"],
    [block, ["input", 7, "type"], "2:1 input"],
    [block, ["tools", 1], "8:15 5"],
    [block, ["tools", 2, "a", 1], "8:27 x"],
    [block, ["budget_tokens", "sections", "a"], "10:15 a"],
    [block, ["budget_tokens", "sections", "b c"], "10:21 'b c'"],
    [block, ["budget_tokens", "file"], "11:3 file"],
    [block, ["flow", "name"], "12:37 name"],
    [block, ["flow", "list", 0], "12:16 one"],
    [block, ["flow", "list", 1, "name"], "12:23 name"],
    [block, ["quoted", "a", 1, "second"], "16:7 second"],
    [block, ["text", "name"], "17:1 text"],
    [json, ["input", 1, "default"], '4:19 "default"'],
    [json, ["input", 1], '4:5 {"name": "b", "default": 1}'],
    [json, ["input", 2], '4:34 "x"'],
    [json, ["input", 1, "0"], '4:5 {"name": "b", "default": 1}'],
    [json, ["budget_tokens", "sections", "b"], '6:42 "b"'],
    [json, ["tools", 1], "7:21 5"],
  ];
  it.each(cases)("finds what is in a field: %#", (file, path, expected) => {
    const { line, column, endColumn } = locateField(file, path);
    const [text = ""] = file.text.split("\n").slice(line - 1);
    expect(`${line}:${column} ${text.slice(column - 1, (endColumn ?? 0) - 1)}`).toBe(expected);
  });

  it("finds every entry of any metadata, however it is written", () => {
    const name = fc.stringMatching(/^[a-z]{1,4}$/).filter((text) => !/^(?:true|null)$/.test(text));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(1, "x", "two words", true, null, "a: b", "- c", "{d}"),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(name, tie("value"), { maxKeys: 3 }),
      ),
    }));
    const walk = (inner: unknown, path: (string | number)[]): (string | number)[][] => {
      if (typeof inner !== "object" || inner === null) return [path];
      const entries = Array.isArray(inner)
        ? inner.map((element, index): [string | number, unknown] => [index, element])
        : Object.entries(inner);
      return [path, ...entries.flatMap(([key, element]) => walk(element, [...path, key]))];
    };
    fc.assert(
      fc.property(
        fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 }),
        fc.integer({ min: -1, max: 4 }),
        (metadata, flowLevel) => {
          const yaml = read("---", dump(metadata, { flowLevel, noRefs: true }).trimEnd(), "---");
          const written = read(...JSON.stringify(metadata, undefined, 1).split("\n"));
          for (const file of [yaml, written]) {
            expect(file.metadata).toEqual(metadata);
            const locate = createFieldLocator(file);
            const places = walk(metadata, [])
              .slice(1)
              .map((path) => [path, locate(path)] as const);
            for (const [path, { line, column, endColumn }] of places) {
              const last = path.at(-1);
              const text = file.text.split("\n")[line - 1]?.slice(column - 1, (endColumn ?? 0) - 1) ?? "";
              if (typeof last === "string") expect(text.replaceAll(/["']/g, "")).toBe(last);
              expect(text).not.toBe("");
            }
            // Each has a place of its own, but for an element that begins with its first member.
            const ends = places.map(([, place]) => `${place.line}:${place.column}:${place.endColumn ?? 0}`);
            expect(new Set(ends).size).toBeGreaterThanOrEqual(
              places.filter(([path]) => typeof path.at(-1) === "string").length,
            );
          }
        },
      ),
      { numRuns: 1_000 },
    );
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
