import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heldNumber, parseHoldingNumbers, restoreNumbers } from "./exact-numbers.ts";

function throughParsing(json: string): string {
  return restoreNumbers(JSON.stringify(parseHoldingNumbers(json)));
}

describe("numbers that JavaScript cannot hold", () => {
  it.each([
    "[1234567890123456789,1234567890123456700]",
    '{"a":-98765432109876543210,"b":"1234567890123456789"}',
    '["\\\\",1234567890123456789,"\\"1234567890123456789\\\\\\"",0.12345678901234567890]',
    "[1732954825.123456789,123456789012345.123]",
    "[1e400,-1E+999,2e-400]",
    '{"1234567890123456789":1234567890123456789}',
    "1234567890123456789",
  ])("come back as they stood: %s", (json) => {
    expect(throughParsing(json)).toBe(json);
  });

  it("change nothing of a text that has none, nor of a string that looks like one", () => {
    for (const json of ['{"a":[1,2.5,"x"],"b":null}', '["\\u0000number 1",1234567890123456789]']) {
      expect(throughParsing(json)).toBe(json);
    }
    expect(heldNumber("\u0000number 1")).toBeUndefined();
  });

  it.each([
    '{"a":12345678901234567890',
    '"1234567890123456789',
    "1234567890123456789]",
    '{"n":01234567890123456}',
  ])("leave what is no JSON to the parser's own words: %s", (broken) => {
    const fault = (parse: (text: string) => unknown): string => {
      try {
        return String(parse(broken));
      } catch (error) {
        return String(error);
      }
    };
    expect(fault(parseHoldingNumbers)).toMatch(/^SyntaxError/);
    expect(fault(parseHoldingNumbers)).toBe(fault((text) => JSON.parse(text) as unknown));
  });

  it("come back in any value, beside any strings", () => {
    const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String);
    const json = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        digits,
        fc.tuple(digits, fc.bigInt({ min: 0n, max: 10n ** 20n })).map(([whole, part]) => `${whole}.${part}1`),
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
