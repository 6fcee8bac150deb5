import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonFields, withoutFields, writeJsonFields } from "./json-fields.ts";

describe("the fields of a JSON object", () => {
  it("are those that parsing finds, and written again they are the same text", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const json = JSON.stringify(value);
        const fields = readJsonFields(json) ?? new Map<string, string>();
        expect([...fields]).toEqual(
          Object.entries(value).map(([name, each]) => [name, JSON.stringify(each)]),
        );
        expect(writeJsonFields(fields)).toBe(json);
      }),
      { numRuns: 1000 },
    );
  });

  it("are none of any other text, which is left as it is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\{["a:,{}[\]\\]{0,12}\}$/)), (text) => {
        let isObject = false;
        try {
          const value: unknown = JSON.parse(text);
          isObject = JSON.stringify(value) === text && text.startsWith("{");
        } catch {
          // no JSON
        }
        fc.pre(!isObject);
        const kept = readJsonFields(text);
        if (kept === undefined) expect(withoutFields(text, () => true)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['{"\\:":null}', '{"a\u0001":null,"\\x":""}', '{"\\u12":null}'])("are none of %j", (text) => {
    expect(readJsonFields(text)).toBeUndefined();
    expect(withoutFields(text, () => true)).toBe(text);
  });

  it("are left out with long numbers beside them as they stand", () => {
    const json = '{"a":null,"b":{"c":1234567890123456789},"__proto__":null,"d":"}\\",{"}';
    expect(withoutFields(json, (_, value) => value === "null")).toBe(
      '{"b":{"c":1234567890123456789},"d":"}\\",{"}',
    );
  });
});
