import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explainInexact, findInexactJson, findInexactYaml } from "./inexact-number.ts";

describe("a number that is read as another one", () => {
  it.each([
    ["a: 12345678901234567890", 3, "12345678901234567890"],
    ["a: [1, -9007199254740993]", 7, "-9007199254740993"],
    ["a: 99999999999999999999999999 # many", 3, "99999999999999999999999999"],
    ["a: &x 9007199254740993\nb: *x", 6, "9007199254740993"],
    ["a: 0.12345678901234567890", 3, "0.12345678901234567890"],
    ["a: 1000000000000000000000", 3, "1000000000000000000000"],
    ["12345678901234567890: a", 0, "12345678901234567890"],
    ["a: 0x20000000000001", 3, "0x20000000000001"],
  ])("is found in YAML: %s", (source, offset, written) => {
    expect(findInexactYaml(source)).toMatchObject({ offset, written });
  });

  it.each([
    "a: '12345678901234567890'",
    "a: 9007199254740992",
    "a: 123456789012345.25",
    "a: 1.5000000000000000000000",
    "a: 1e20",
    "a: 0x20000000000000",
    "a: .inf",
    "a: text 12345678901234567890",
    "a: 2024-03-10 02:30:00.123456",
  ])("is none where nothing is lost: %s", (source) => {
    expect(findInexactYaml(source)).toBeUndefined();
  });

  it("is found in JSON, and none in a text", () => {
    expect(findInexactJson('{"a": [1, 1e400]}')).toEqual({ offset: 10, written: "1e400", value: Infinity });
    expect(findInexactJson('{"a": "12345678901234567890", "b": 12345678901234567890.0}')).toMatchObject({
      offset: 35,
    });
    expect(findInexactJson('{"a": "12345678901234567890"}')).toBeUndefined();
    expect(findInexactJson('{"a": 12345678901234567890')).toMatchObject({ offset: 6 });
    expect(findInexactJson("12345678901234567890 {")).toMatchObject({ offset: 0 });
  });

  it("is told with what to do, however long it is", () => {
    const number = findInexactJson(`[${"9".repeat(100_000)}]`);
    expect(number === undefined ? "" : explainInexact(number)).toMatch(
      /^the number 9{40}… cannot be held as it is written, and would be read as Infinity; put it in quotes/,
    );
  });

  it("is never one that JavaScript itself writes, and always one whose value changed", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(findInexactJson(`[${JSON.stringify(value)}]`)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (value) => {
        const isLost = BigInt(Number(value)) !== value || String(Number(value)).includes("e");
        for (const found of [findInexactJson(`[${value}]`), findInexactYaml(`a: ${value}`)])
          expect(found !== undefined).toBe(isLost);
      }),
      { numRuns: 2_000 },
    );
  });
});
