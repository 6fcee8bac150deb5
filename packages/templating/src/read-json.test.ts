import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemberLocator, duplicateMembers, explainJsonFault, readJson } from "./read-json.ts";

describe("readJson", () => {
  it("reads what JSON.parse reads, and places a fault in what it does not", () => {
    const text = fc.oneof(
      fc.json(),
      fc.tuple(fc.json(), fc.nat(), fc.constantFrom("", "x", ",", "}", '"')).map(([json, at, extra]) => {
        const index = at % (json.length + 1);
        return json.slice(0, index) + extra + json.slice(index + 1);
      }),
    );
    fc.assert(
      fc.property(text, (source) => {
        const reading = readJson(source);
        if (reading.kind === "data") {
          expect(reading.data).toEqual(JSON.parse(source));
        } else {
          expect(() => JSON.parse(source) as unknown).toThrow();
          expect(reading.fault.offset).toBeGreaterThanOrEqual(0);
          expect(reading.fault.offset).toBeLessThanOrEqual(source.length);
          expect(reading.fault.reason).not.toBe("");
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("says where", () => {
    expect(readJson('{\n"a": 1,\n"b": x}')).toMatchObject({
      fault: { offset: 15, reason: "Unexpected character 'x'" },
    });
    expect(readJson("")).toMatchObject({ kind: "fault", fault: { offset: 0 } });
  });
});

describe("explainJsonFault", () => {
  it.each([
    ['{"a": "x\ny"}', /; close each text on its line, and write \\n for a line end in it/],
    ['{"a": "C:\\q"}', /; write \\\\ for a backslash in a text$/],
    ["", /: it ends too early; close every brace, bracket and quote$/],
    ["{'a': 1}", /; texts and names stand in double quotes, /],
  ])("says of %j what to write", (source, expected) => {
    const reading = readJson(source);
    expect(reading.kind === "fault" ? explainJsonFault(reading.fault) : "none").toMatch(expected);
  });
});

describe("duplicateMembers", () => {
  it("names what JSON.parse would lose", () => {
    expect(duplicateMembers('{"a": 1, "b": [{"c": 1, "c": 2}], "a": {"a": 1}}')).toEqual([
      { name: "c", offset: 24 },
      { name: "a", offset: 34 },
    ]);
    expect(duplicateMembers('{"__proto__": 1, "__proto__": 2}')).toHaveLength(1);
    expect(duplicateMembers("{")).toEqual([]);
  });
});

describe("createMemberLocator", () => {
  it("finds a member by the names that lead to it", () => {
    const text = '{"a": 1, "b": {"a": {"c": []}, "__proto__": 2}, "a": 3}';
    const at = createMemberLocator(text);
    expect(at(["b", "a", "c"])).toBe(text.indexOf('"c"'));
    expect(at(["a"])).toBe(text.lastIndexOf('"a"'));
    expect(at(["b", "__proto__"])).toBe(text.indexOf('"__proto__"'));
    for (const path of [["c"], ["toString"], ["a", "b"], ["b", "a", "c", "d"]])
      expect(at(path)).toBeUndefined();
    expect(createMemberLocator("{")(["a"])).toBeUndefined();
    expect(createMemberLocator("[1]")(["0"])).toBeUndefined();
  });
});
