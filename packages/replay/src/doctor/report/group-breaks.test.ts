import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BreakCause, type BreakGroup, type DiagnosedBreak, groupBreaks } from "../../index.ts";

function found(
  cause: BreakCause,
  path?: string,
  more: Partial<DiagnosedBreak> & { readonly role?: string } = {},
): DiagnosedBreak {
  const { role = "user", ...rest } = more;
  const at = { kind: "text", block: 0, character: 0, byte: 0, previous: undefined, next: undefined } as const;
  return {
    body: 1,
    previous: 0,
    cause,
    detail: `what was seen of ${cause}`,
    also: [],
    place: path === undefined ? undefined : { ...at, role, path },
    lostCharacters: 0,
    lostTokens: undefined,
    sharedTokens: undefined,
    servedBy: undefined,
    notCached: undefined,
    lostMoney: undefined,
    model: undefined,
    ...rest,
  };
}

const placesOf = (groups: readonly BreakGroup[]): unknown[] =>
  groups.map(({ path, role, count }) => [path, role, count]);

describe("groupBreaks", () => {
  it.each<[string, DiagnosedBreak[], unknown[]]>([
    [
      "a standing text, of whatever conversation",
      [found("clock", "messages[0].content"), found("clock", "messages[0].content")],
      [["messages[0].content", "user", 2]],
    ],
    [
      "two standing texts apart",
      [
        found("clock", "messages[0].content"),
        found("clock", "messages[1].content"),
        found("clock", "system[2]"),
      ],
      [
        ["messages[0].content", "user", 1],
        ["messages[1].content", "user", 1],
        ["system[2]", "user", 1],
      ],
    ],
    [
      "later messages by who speaks",
      [
        found("history-rewritten", "messages[4].content", { role: "tool" }),
        found("history-rewritten", "messages[5].content"),
        found("history-rewritten", "messages[9].content", { role: "tool" }),
      ],
      [
        ["messages[…]", "tool", 2],
        ["messages[5].content", "user", 1],
      ],
    ],
    [
      "what moves with the history, whatever stands there now",
      [
        found("tail-replaced", "input[1]", { role: "assistant" }),
        found("tail-replaced", "input[5].content[0]"),
      ],
      [["input[…]", undefined, 2]],
    ],
    [
      "all tools, by number or by name",
      [
        found("tools-changed", "tools[0]", { role: "tool-definition" }),
        found("tools-changed", "tools.search", { role: "tool-definition" }),
      ],
      [["tools", "tool-definition", 2]],
    ],
    [
      "settings by their names",
      [
        found("settings-changed", undefined, { detail: "`a` is another one" }),
        found("settings-changed", undefined, { detail: "`b` is another one" }),
        found("settings-changed", undefined, { detail: "`a` is another one" }),
      ],
      [
        [undefined, undefined, 2],
        [undefined, undefined, 1],
      ],
    ],
    [
      "models, whichever",
      [
        found("model-changed", undefined, { detail: "the model was a and is b" }),
        found("model-changed", undefined, { detail: "the model was b and is a" }),
      ],
      [[undefined, undefined, 2]],
    ],
    [
      "names that objects have already",
      [found("clock", "constructor"), found("clock", "__proto__"), found("clock", "")],
      [
        ["constructor", "user", 1],
        ["__proto__", "user", 1],
        ["", "user", 1],
      ],
    ],
  ])("groups %s", (_, breaks, expected) => {
    expect(placesOf(groupBreaks(breaks))).toEqual(expected);
  });

  it("puts the worst first: by money where each loss has a price, or else by tokens, or by characters", () => {
    const order = (...breaks: DiagnosedBreak[]): BreakCause[] =>
      groupBreaks(breaks).map(({ cause }) => cause);
    const cheap = found("clock", "system", { lostTokens: 900, lostMoney: 1 });
    const dear = found("varying-id", "system", { lostTokens: 100, lostMoney: 2 });
    const free = found("system-edited", "system", { lostTokens: 0 });
    const unpriced = found("tools-changed", "tools[0]", { lostTokens: 500 });
    expect(order(free, cheap, dear)).toEqual(["varying-id", "clock", "system-edited"]);
    expect(order(free, dear, unpriced, cheap)).toEqual([
      "clock",
      "tools-changed",
      "varying-id",
      "system-edited",
    ]);
    const [short, long] = [10, 20].map((lostCharacters) => ({ lostCharacters }));
    expect(order(found("clock", "system", short), found("varying-id", "system", long))).toEqual([
      "varying-id",
      "clock",
    ]);
  });

  it("says what is common to its breaks, and what else changed in their bodies", () => {
    const also = [{ cause: "model-changed", detail: "the model was a and is b" }] as const;
    const breaks = [
      found("clock", "system", { body: 3, lostTokens: 5, lostCharacters: 9 }),
      found("clock", "system", { body: 7, lostTokens: 6, lostMoney: 0.5, also }),
    ];
    expect(groupBreaks(breaks)).toEqual([
      {
        cause: "clock",
        detail: "what was seen of clock",
        path: "system",
        role: "user",
        count: 2,
        first: 3,
        lostCharacters: 9,
        lostTokens: 11,
        lostMoney: 0.5,
        also: [{ cause: "model-changed", count: 1 }],
      },
    ]);
    expect(groupBreaks([])).toEqual([]);
  });

  it("has each break in one group, and loses none of what was lost", () => {
    const anyBreak = fc
      .record({
        cause: fc.constantFrom<BreakCause[]>("clock", "tail-replaced", "tools-changed", "settings-changed"),
        path: fc.option(fc.constantFrom("messages[0]", "messages[7].content", "tools.a", "system[1]"), {
          nil: undefined,
        }),
        role: fc.constantFrom("user", "assistant"),
        tokens: fc.nat(1000),
      })
      .map(({ cause, path, role, tokens }) =>
        found(cause, path, { role, lostTokens: tokens, lostMoney: tokens * 2, lostCharacters: tokens * 3 }),
      );
    fc.assert(
      fc.property(fc.array(anyBreak), (breaks) => {
        const groups = groupBreaks(breaks);
        const total = (of: (each: DiagnosedBreak | BreakGroup) => number | undefined): void => {
          const add = (sum: number, each: DiagnosedBreak | BreakGroup): number => sum + (of(each) ?? 0);
          expect(groups.reduce(add, 0)).toBe(breaks.reduce(add, 0));
        };
        total((each) => ("count" in each ? each.count : 1));
        total(({ lostTokens }) => lostTokens);
        total(({ lostMoney }) => lostMoney);
        total(({ lostCharacters }) => lostCharacters);
        const money = groups.map(({ lostMoney = 0 }) => lostMoney);
        expect(money).toEqual(money.toSorted((a, b) => b - a));
      }),
      { numRuns: 1000 },
    );
  });
});
