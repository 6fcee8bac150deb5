import { describe, expect, it } from "vitest";
import { createNameHints, nearestName } from "./nearest-name.ts";

describe("nearestName", () => {
  it("finds slips and no strangers", () => {
    const names = ["preferred", "name", "day", "timezone"];
    expect(nearestName("prefered", names)).toBe("preferred");
    expect(nearestName("nmae", names)).toBe("name");
    expect(nearestName("Timezone", names)).toBe("timezone");
    expect(nearestName("zebra", names)).toBeUndefined();
    expect(nearestName("x", names)).toBeUndefined();
  });

  it("takes the nearest, and of several the first", () => {
    expect(nearestName("topik", ["topaz", "tropic", "topic"])).toBe("topic");
    expect(nearestName("abc", ["abd", "abe"])).toBe("abd");
  });

  it("of two that are as near takes the one that begins in the name's case", () => {
    const names = ["pronouns_subject", "Pronouns_subject", "day_YYYYMMDD", "Day_yyyymmdd"];
    expect(nearestName("Pronouns_subjct", names)).toBe("Pronouns_subject");
    expect(nearestName("pronouns_subjct", [...names].reverse())).toBe("pronouns_subject");
    expect(nearestName("day_yyyymmdd", [...names].reverse())).toBe("day_YYYYMMDD");
    expect(nearestName("Topik", ["Topaz", "topic"])).toBe("topic");
  });

  it("takes no short name for another that has little in common with it", () => {
    expect(nearestName("x", ["t", "T", "xyz"])).toBeUndefined();
    expect(nearestName("x", ["t", "X"])).toBe("X");
    expect(nearestName("x", ["ts", "xs"])).toBe("xs");
    expect(nearestName("ot", ["xy", "to"])).toBe("to");
  });

  it("compares no names of a length that nobody slips in", () => {
    expect(nearestName("a".repeat(100), [`${"a".repeat(99)}b`])).toBe(`${"a".repeat(99)}b`);
    expect(nearestName("a".repeat(500_000), [`${"a".repeat(499_999)}b`])).toBeUndefined();
  });
});

describe("createNameHints", () => {
  it("asks for the names once, and gives a name that comes again the hint it had", () => {
    let asked = 0;
    const hint = createNameHints(() => {
      asked += 1;
      return ["preferred"];
    });
    expect(asked).toBe(0);
    expect([hint("prefered"), hint("zebra"), hint("prefered")]).toEqual([
      "preferred",
      undefined,
      "preferred",
    ]);
    expect(asked).toBe(1);
  });

  it("gives none after a hundred different names", () => {
    const hint = createNameHints(() => ["preferred"]);
    const hints = Array.from({ length: 101 }, (_, index) => hint(`${"x".repeat(index)}prefered`));
    expect(hints[0]).toBe("preferred");
    expect(hint("perferred")).toBeUndefined();
    expect(hint("prefered")).toBe("preferred");
  });
});
