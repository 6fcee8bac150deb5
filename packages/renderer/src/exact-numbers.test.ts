import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdNumbers, restoreNumbers } from "./exact-numbers.ts";

function throughParsing(json: string): string {
  return restoreNumbers(JSON.stringify(JSON.parse(holdNumbers(json))));
}

describe("numbers that JavaScript cannot hold", () => {
  it.each([
    "[1234567890123456789,1234567890123456700]",
    '{"a":-98765432109876543210,"b":"1234567890123456789"}',
    '["\\\\",1234567890123456789,"\\"1234567890123456789\\\\\\"",0.12345678901234567890]',
    "[1e400,-1E+999,1e99]",
    '{"1234567890123456789":1234567890123456789}',
    "1234567890123456789",
  ])("come back as they stood: %s", (json) => {
    expect(throughParsing(json)).toBe(json.replace("1e99]", "1e+99]"));
  });

  it("change nothing of a text that has none, and leave what is no JSON to who parses it", () => {
    const json = '{"a":[1,2.5,"x"],"b":null}';
    expect(holdNumbers(json)).toBe(json);
    for (const broken of ['{"a":12345678901234567890', '"1234567890123456789', "1234567890123456789]"]) {
      expect(() => JSON.parse(holdNumbers(broken)) as unknown).toThrow(SyntaxError);
    }
  });

  it("come back in any value, beside any strings", () => {
    const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String);
    const json = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        digits,
        fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
        fc.constantFrom("true", "null", '"\\\\"', '"\\""'),
        fc.array(tie("value"), { maxLength: 4 }).map((list) => `[${list.join()}]`),
        fc.dictionary(fc.string({ minLength: 1 }), tie("value"), { maxKeys: 4 }).map(
          (fields) =>
            `{${Object.entries(fields)
              .map(([key, value]) => `${JSON.stringify(`k${key}`)}:${value}`)
              .join()}}`,
        ),
      ),
    })).value;
    fc.assert(
      fc.property(json, (text) => {
        expect(throughParsing(text)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });
});
