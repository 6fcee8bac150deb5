import type { ContextItem } from "@promptfold/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ItemSequence } from "./item-sequence.ts";

function item(offset: number): ContextItem {
  return { kind: "request", offset, requestedAt: "" };
}

describe("ItemSequence", () => {
  it("holds what was appended, across every boundary of its tree", () => {
    let sequence = ItemSequence.empty;
    const items: ContextItem[] = [];
    for (let offset = 1; offset <= 33_000; offset++) {
      sequence = sequence.append(item(offset));
      items.push(item(offset));
    }
    expect([...sequence]).toEqual(items);
    for (const position of [0, 31, 32, 1023, 1024, 32_767, 32_768, 32_999]) {
      expect(sequence.at(position)).toEqual(items[position]);
      const replaced = sequence.replace(position, item(99_999));
      expect(replaced.at(position).offset).toBe(99_999);
      expect(sequence.at(position)).toEqual(items[position]);
      expect([...replaced.from(position + 1)]).toEqual(items.slice(position + 1));
    }
  });

  it("refuses a position that it does not have", () => {
    const sequence = ItemSequence.from([item(1)]);
    for (const position of [1, -1, 0.5, Number.NaN]) {
      expect(() => sequence.at(position)).toThrow(RangeError);
      expect(() => sequence.replace(position, item(2))).toThrow(RangeError);
    }
  });

  it("behaves as copied arrays do, whichever version is changed next", () => {
    const change = fc.record({
      version: fc.nat(),
      position: fc.nat(),
      times: fc.nat(40),
      replaces: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60, size: "max" }), (changes) => {
        const sequences = [ItemSequence.empty];
        const arrays: ContextItem[][] = [[]];
        let next = 1;
        for (const { version, position, times, replaces } of changes) {
          let sequence = sequences[version % sequences.length] ?? ItemSequence.empty;
          const array = [...(arrays[version % arrays.length] ?? [])];
          if (replaces && array.length > 0) {
            const at = position % array.length;
            array[at] = item(next);
            sequence = sequence.replace(at, item(next++));
          } else {
            for (let count = 0; count < times; count++) {
              array.push(item(next));
              sequence = sequence.append(item(next++));
            }
          }
          sequences.push(sequence);
          arrays.push(array);
        }
        sequences.forEach((sequence, index) => {
          expect([...sequence]).toEqual(arrays[index]);
          expect(sequence.length).toBe(arrays[index]?.length);
        });
      }),
      { numRuns: 1000 },
    );
  });

  it("owned by one holder changes in place, and never what it was made from or what was made from it", () => {
    fc.assert(
      fc.property(fc.nat(100), fc.array(fc.nat(80), { maxLength: 8 }), (start, steps) => {
        let shared = ItemSequence.from(Array.from({ length: start }, (_, index) => item(index + 1)));
        const seen: [ItemSequence, readonly ContextItem[]][] = [];
        for (const step of steps) {
          const before = [...shared];
          let owned = shared.toOwned();
          seen.push([shared, [...before]]);
          for (let count = 0; count < step; count++) {
            const next = owned.append(item(1000 + count));
            expect(next).toBe(owned);
            before.push(item(1000 + count));
          }
          if (before.length > 0) {
            owned = owned.replace(step % before.length, item(9));
            before[step % before.length] = item(9);
          }
          // The one that it was made from goes its own way.
          shared.append(item(5));
          const ended = owned.toShared();
          owned.append(item(7));
          expect([...ended]).toEqual(before);
          shared = ended;
        }
        for (const [sequence, items] of seen) expect([...sequence]).toEqual(items);
      }),
      { numRuns: 1000 },
    );
  });
});
