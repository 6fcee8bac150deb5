import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CacheAnchor, type CacheLimits, planCacheMarks } from "./index.ts";

const anthropic: CacheLimits = { maxMarks: 4, lookBackBlocks: 20, minimumTokens: 1024 };
const anchor = (block: number, reason: CacheAnchor["reason"], bytes = 100_000): CacheAnchor => ({
  block,
  reason,
  bytes,
});
const everywhere = [
  anchor(1, "standing-document"),
  anchor(3, "compaction-edge"),
  anchor(30, "previous-stamp"),
  anchor(55, "newest-stamp"),
];

describe("planCacheMarks", () => {
  it("marks the standing document, the compaction's edge and the two newest stamps, in the order of their places", () => {
    expect(planCacheMarks(everywhere, anthropic).marks).toEqual([
      { block: 1, reason: "standing-document" },
      { block: 3, reason: "compaction-edge" },
      { block: 30, reason: "previous-stamp" },
      { block: 55, reason: "newest-stamp" },
    ]);
  });

  it.each([
    [1, ["newest-stamp"]],
    [2, ["standing-document", "newest-stamp"]],
    [3, ["standing-document", "previous-stamp", "newest-stamp"]],
  ])("keeps what the next request needs most where only %d marks are allowed", (maxMarks, reasons) => {
    const plan = planCacheMarks(everywhere, { ...anthropic, maxMarks });
    expect(plan.marks.map(({ reason }) => reason)).toEqual(reasons);
    expect(plan.explanation.join("\n")).toContain("No mark is left for block 3");
  });

  it("says that the previous stamp's mark is needed when the turn is longer than a mark looks back", () => {
    expect(planCacheMarks(everywhere, anthropic).explanation.join("\n")).toContain("25 blocks apart");
    // A mark looks at 20 places, its own among them.
    for (const [newest, isFar] of [
      [24, false],
      [25, true],
    ] as const) {
      const anchors = [
        anchor(1, "standing-document"),
        anchor(5, "previous-stamp"),
        anchor(newest, "newest-stamp"),
      ];
      expect(planCacheMarks(anchors, anthropic).explanation.join("\n").includes("apart")).toBe(isFar);
    }
  });

  it("says where a prefix is too short to be cached, and marks it nevertheless: it will grow", () => {
    const short = [anchor(1, "standing-document", 1000), anchor(3, "newest-stamp", 1200)];
    const { marks, explanation } = planCacheMarks(short, anthropic);
    expect(marks).toHaveLength(2);
    expect(explanation[0]).toContain("With 1000 bytes before it, it is below the 1024 tokens");
    expect(explanation[1]).not.toContain("below");
  });

  it("asks for the longer time to live only where nothing shorter comes before", () => {
    const { marks } = planCacheMarks(everywhere, { ...anthropic, standingTtl: "1h" });
    expect(marks.map(({ ttl }) => ttl)).toEqual(["1h", "1h", undefined, undefined]);
    const odd = [anchor(2, "previous-stamp"), anchor(4, "compaction-edge"), anchor(6, "newest-stamp")];
    expect(planCacheMarks(odd, { ...anthropic, standingTtl: "1h" }).marks.map(({ ttl }) => ttl)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("marks nothing where nothing can be marked, and one block once", () => {
    expect(planCacheMarks([], anthropic)).toEqual({ marks: [], explanation: [] });
    expect(planCacheMarks(everywhere, { ...anthropic, maxMarks: 0 }).marks).toEqual([]);
    const same = [anchor(2, "standing-document"), anchor(2, "newest-stamp")];
    expect(planCacheMarks(same, anthropic).marks).toEqual([{ block: 2, reason: "newest-stamp" }]);
  });

  it("stays within the limits, in order, and explains every mark, whatever the places", () => {
    const reasons = ["standing-document", "compaction-edge", "previous-stamp", "newest-stamp"] as const;
    const anchors = fc
      .subarray([...reasons])
      .chain((chosen) =>
        fc.tuple(...chosen.map((reason) => fc.nat(40).map((block) => anchor(block, reason)))),
      );
    fc.assert(
      fc.property(
        anchors,
        fc.nat(5),
        fc.constantFrom("5m", "1h", undefined),
        (places, maxMarks, standingTtl) => {
          const { marks, explanation } = planCacheMarks(places, { ...anthropic, maxMarks, standingTtl });
          expect(marks.length).toBeLessThanOrEqual(maxMarks);
          const blocks = marks.map(({ block }) => block);
          expect(blocks).toEqual([...new Set(blocks)].sort((a, b) => a - b));
          expect(places.map(({ block }) => block)).toEqual(expect.arrayContaining(blocks));
          const lifetimes = marks.map(({ ttl }) => (ttl === "1h" ? 60 : 5));
          expect(lifetimes).toEqual(lifetimes.toSorted((a, b) => b - a));
          for (const block of blocks) expect(explanation.join("\n")).toContain(`on block ${block}:`);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
