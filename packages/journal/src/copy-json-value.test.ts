import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "vitest";
import { copyJsonValue, nestsDeeper } from "./copy-json-value.ts";

const keys = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "0", "10", "2"));
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom(0, -0, 1e21, 5e-324),
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 5, noNullPrototype: false }),
  ),
}));

describe("the copy of a payload", () => {
  it("is what JSON.parse gives for its text, and shares nothing", () => {
    fc.assert(
      fc.property(json, (value) => {
        const { problem, copy } = copyJsonValue(value, 1_000, Infinity);
        assert.equal(problem, undefined);
        const text = JSON.stringify(value);
        assert.equal(JSON.stringify(copy), text);
        const parsed: unknown = JSON.parse(text);
        assert.deepStrictEqual(copy, parsed);
        assert.deepStrictEqual(prototypes(copy), prototypes(parsed));
        assert.equal(
          reached(value).some((object) => reached(copy).includes(object)),
          false,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads every member once", () => {
    let reads = 0;
    const value = {
      list: [1],
      get next() {
        return (reads += 1);
      },
    };
    assert.deepEqual(copyJsonValue(value, 10, 1_000).copy, { list: [1], next: 1 });
    assert.equal(reads, 1);
  });

  it("names the place of what JSON cannot carry", () => {
    const converted = Object.assign([1], { toJSON: () => 2 });
    const around: unknown[] = [];
    around.push({ again: around });
    const large: Record<string, unknown> = { text: "x".repeat(900) };
    large["self"] = large;
    for (const [value, message] of [
      [{ a: [1, { "b c": undefined }] }, 'payload.a[1]["b c"] is undefined'],
      [[1, , 2], "payload[1] is undefined"], // eslint-disable-line no-sparse-arrays -- holes are what is tested
      [{ at: new Date(0) }, "payload.at is a Date"],
      [{ at: converted }, "payload.at has a toJSON method"],
      [{ at: { [Symbol("s")]: 1 } }, "payload.at has a symbol for a key"],
      [around, "payload[0].again refers back to an object around it"],
      [large, "payload.self refers back to an object around it"],
      [NaN, "payload is NaN"],
      [{ at: Object.assign([1], { extra: 2 }) }, "payload.at is an array with members that have names"],
      [Object.assign([], { [Symbol("s")]: 2 }), "payload is an array with members that have names"],
      ["ab".match(/b/), "payload is an array with members that have names"],
    ] as const) {
      assert.equal(copyJsonValue(value, 10, 1_000).problem?.message, `${message}, which JSON cannot carry`);
    }
    const nested = [[[1]]];
    assert.match(copyJsonValue(nested, 2, 1_000).problem?.message ?? "", /deeper than 2 levels/);
    assert.equal(copyJsonValue(nested, 3, 1_000).problem, undefined);
    assert.deepEqual([nestsDeeper(nested, 2), nestsDeeper(nested, 3)], [true, false]);
    assert.equal(copyJsonValue("x".repeat(100), 10, 50).problem?.kind, "too-large");
  });

  it("names the place of what cannot be read, and says what was thrown", () => {
    const cause = new RangeError("mine");
    const broken = Object.defineProperty({}, "broken", {
      enumerable: true,
      get: () => {
        throw cause;
      },
    });
    assert.deepEqual(copyJsonValue([broken], 10, 1_000).problem, {
      kind: "not-json",
      message: "payload[0].broken cannot be read: mine",
      cause,
    });
    for (const target of [{}, []]) {
      const { proxy, revoke } = Proxy.revocable(target, {});
      revoke();
      for (const [value, place] of [
        [proxy, "payload"],
        [{ a: [proxy] }, "payload.a[0]"],
      ] as const) {
        const { problem } = copyJsonValue(value, 10, 1_000);
        assert.ok(problem?.message.startsWith(`${place} cannot be read: `), problem?.message);
        assert.ok(problem?.cause instanceof TypeError);
      }
    }
    const odd = new Proxy([], {
      get: () => {
        throw Object.create(null) as Error;
      },
    });
    assert.match(copyJsonValue(odd, 10, 1_000).problem?.message ?? "", /threw what is no error/);
  });
});

/** The value and every object inside it. */
function reached(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(reached)];
}

function prototypes(value: unknown): unknown[] {
  return reached(value).map((object) => Object.getPrototypeOf(object) as unknown);
}
