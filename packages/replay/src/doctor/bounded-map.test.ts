import { describe, expect, it } from "vitest";
import { BoundedMap } from "./bounded-map.ts";

describe("BoundedMap", () => {
  it("holds what was asked for last, and no more than its limit", () => {
    const map = new BoundedMap<number, number>(100);
    for (let index = 0; index < 1000; index++) {
      map.set(index, index);
      expect(map.get(0)).toBe(0);
    }
    const held = Array.from({ length: 1000 }, (_, index) => map.get(index)).filter(
      (each) => each !== undefined,
    );
    expect(map.get(999)).toBe(999);
    expect(held.length).toBeLessThanOrEqual(100);
    expect(map.hasLetGo).toBe(true);
  });

  it("has let nothing go within its limit", () => {
    const map = new BoundedMap<string, number>(10);
    for (let round = 0; round < 5; round++) for (const key of ["a", "b", "c", "d", "e"]) map.set(key, round);
    expect([map.get("a"), map.hasLetGo]).toEqual([4, false]);
    map.delete("a");
    expect(map.get("a")).toBeUndefined();
  });
});
