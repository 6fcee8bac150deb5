import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chainHash, hashText, STEP_LENGTH } from "./text-hash.ts";

describe("hashText", () => {
  it("tells texts apart that differ little", () => {
    const hashes = new Set<number>();
    for (let index = 0; index < 200_000; index++) hashes.add(hashText(`message ${index}`).whole);
    expect(hashes.size).toBe(200_000);
    expect([...hashes].every(Number.isSafeInteger)).toBe(true);
  });

  it("has one step for each that two texts begin with, and no more", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 40 }),
        fc.string(),
        fc.string(),
        fc.nat({ max: 4 }),
        (part, a, b, times) => {
          const shared = `x${part}`.repeat(100).slice(0, STEP_LENGTH).padEnd(STEP_LENGTH, "-").repeat(times);
          const [one, other] = [hashText(`${shared}1${a}`), hashText(`${shared}2${b}`)];
          const same = one.steps.findIndex((hash, index) => hash !== other.steps[index]);
          expect(same === -1 ? Math.min(one.steps.length, times) : same).toBe(times);
          expect(one.whole).not.toBe(other.whole);
          expect(hashText(`${shared}1${a}`)).toEqual(one);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("depends on the order in a chain", () => {
    const [a, b] = ["a", "b"].map((text) => hashText(text).whole) as [number, number];
    expect(chainHash(a, b)).not.toBe(chainHash(b, a));
    expect(chainHash(0, 0)).not.toBe(chainHash(0, 1));
  });
});
