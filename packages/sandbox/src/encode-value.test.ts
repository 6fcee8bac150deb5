import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeValue } from "./encode-value.ts";

function encode(value: unknown): unknown {
  const encoded = encodeValue(value, 1_000_000);
  return encoded.kind === "json" ? (JSON.parse(encoded.text) as unknown) : encoded.kind;
}

class Empty {
  isEmpty(): boolean {
    return true;
  }
}

class Parcel {
  weight = 1;
  #hidden = 2;
  hidden(): number {
    return this.#hidden;
  }
}

test.each<[string, unknown, unknown]>([
  ["an instance", new Parcel(), { weight: 1 }],
  ["an empty instance", new Empty(), "[Empty]"],
  ["a regular expression", /a\/b/g, "/a\\/b/g"],
  ["a boxed number", Object(3), 3],
  ["bytes", Buffer.from([1, 2]), { Buffer: [1, 2] }],
  ["floats", new Float64Array([0.5]), { Float64Array: [0.5] }],
  ["an array buffer", new ArrayBuffer(2), { ArrayBuffer: [0, 0] }],
  ["what has toJSON", new URL("https://example.com/a"), "https://example.com/a"],
  ["holes", [, 1], ["undefined", 1]], // eslint-disable-line no-sparse-arrays -- the case itself
  ["an undefined member", { a: undefined, b: 1 }, { b: 1 }],
  ["a generator", (function* () {})(), "[Generator]"],
  ["a weak map", new WeakMap(), "[WeakMap]"],
  ["nested maps", new Map([[{ a: 1 }, new Set([1n])]]), { Map: [[{ a: 1 }, { Set: ["1n"] }]] }],
  ["an object without a prototype", Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
  [
    "an error with a cause and members",
    Object.assign(new TypeError("no", { cause: "why" }), { code: 5 }),
    { name: "TypeError", message: "no", cause: "why", code: 5 },
  ],
  [
    "a false tag",
    {
      get [Symbol.toStringTag]() {
        return "Map";
      },
    },
    expect.stringContaining("cannot be read"),
  ],
])("%s", (_name, value, expected) => {
  expect(encode(value)).toEqual(expected);
});

test("the same object twice is no circle", () => {
  const shared = { a: 1 };
  expect(encode([shared, shared])).toEqual([shared, shared]);
});

test("JSON data stays what it is", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const text = JSON.stringify(value);
      expect(encode(JSON.parse(text))).toEqual(JSON.parse(text));
    }),
    { numRuns: 2000 },
  );
});

test("anything at all gives JSON within the limit, or says that it is too large", () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withSparseArray: true,
    withNullPrototype: true,
    withObjectString: true,
    stringUnit: "binary",
  });
  const seen = new Set<string>();
  fc.assert(
    fc.property(anything, fc.integer({ min: 0, max: 200 }), (value, limit) => {
      const encoded = encodeValue(value, limit);
      seen.add(encoded.kind);
      if (encoded.kind !== "json") return;
      expect(encoded.text.length).toBeLessThanOrEqual(limit);
      JSON.parse(encoded.text);
    }),
    { numRuns: 3000 },
  );
  expect([...seen].sort()).toEqual(["json", "too-large", "undefined"]);
});

test("what is huge is given up early", () => {
  let doubled: unknown = 1;
  for (let level = 0; level < 100; level += 1) doubled = [doubled, doubled];
  expect(encodeValue(doubled, 100_000)).toEqual({ kind: "too-large" });
  expect(encodeValue(new Array(2 ** 32 - 1), 100_000)).toEqual({ kind: "too-large" });
  expect(encodeValue("x".repeat(1000), 100)).toEqual({ kind: "too-large" });
});
