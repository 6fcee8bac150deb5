import { describe, expect, it } from "vitest";
import { diagnoseBodies, formatDiagnosis } from "../index.ts";
import { apis, type Turn } from "./testing/api-bodies.ts";

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const prices = { "gpt-5": { input: 1_000_000, cachedInput: 100_000 } };
const options = { countTokens: words, minimumTokens: 0 };

/** So many turns, of two words each. */
function turns(length: number): Turn[] {
  return Array.from({ length }, (_, index) => [index % 2 === 0 ? "user" : "assistant", `turn ${index}`]);
}

describe("what is not sent any more", () => {
  it("costs nothing: a break loses no more than its body sends without a cache", () => {
    const summary: readonly Turn[] = [
      ["user", "so far"],
      ["assistant", "turn 97"],
      ["user", "turn 98"],
      ["assistant", "and then"],
      ["user", "go on"],
    ];
    const diagnosis = diagnoseBodies([apis.openai({ turns: turns(99) }), apis.openai({ turns: summary })], {
      ...options,
      prices,
    });
    expect(diagnosis.breaks).toMatchObject([
      { cause: "history-summarised", sharedTokens: 1, lostTokens: 10 },
    ]);
    expect(diagnosis.lostMoney).toBeCloseTo(9);
    expect(diagnosis.breaks[0]?.lostCharacters).toBe(
      summary.reduce((sum, [, { length }]) => sum + length, 0),
    );
  });

  it.each(["openai", "responses", "anthropic", "gemini"] as const)(
    "is no break at the end of a conversation, since the cache of what is left still serves (%s)",
    (api) => {
      const body = (length: number): object => apis[api]({ turns: turns(length) });
      expect(diagnoseBodies([body(7), body(5), body(7)], options)).toMatchObject({
        conversations: 1,
        breaks: [],
      });
      // Without a tokenizer it is not known what marks serve.
      const { breaks } = diagnoseBodies([body(7), body(5)]);
      expect(breaks).toHaveLength(api === "anthropic" ? 1 : 0);
    },
  );

  it.each([
    [6, "the last block of the request before is gone"],
    [5, "the last 2 blocks of the request before are gone"],
  ])("is told of where the cache has a mark at the end alone: %i of 7 turns", (length, detail) => {
    const body = (count: number): object => ({
      model: "claude-opus-5",
      max_tokens: 9,
      messages: turns(count).map(([role, text], index) => ({
        role,
        content: [
          { type: "text", text, ...(index === count - 1 ? { cache_control: { type: "ephemeral" } } : {}) },
        ],
      })),
    });
    const diagnosis = diagnoseBodies([body(7), body(length)], options);
    expect(diagnosis.breaks).toMatchObject([{ cause: "history-trimmed", detail, lostTokens: length * 2 }]);
    expect(formatDiagnosis(diagnosis)).toContain(`lost    ${length * 2} of ${length * 2} tokens`);
  });
});

describe("output formats", () => {
  const chat = (length: number, extra: object): object => apis.openai({ turns: turns(length), extra });
  const responses = (length: number, extra: object): object =>
    apis.responses({ turns: turns(length), extra });

  it.each([
    ["left out and text", chat(1, {}), chat(3, { response_format: { type: "text" } })],
    ["left out and text (Responses)", responses(1, {}), responses(3, { text: { format: { type: "text" } } })],
    [
      "the same, of another verbosity",
      responses(1, { text: {} }),
      responses(3, { text: { verbosity: "low" } }),
    ],
  ])("are the same: %s", (_, before, after) => {
    expect(diagnoseBodies([before, after], options).breaks).toEqual([]);
  });

  it("are others: a schema in place of text", () => {
    const schema = { format: { type: "json_schema", name: "a", schema: {} } };
    expect(diagnoseBodies([responses(1, {}), responses(3, { text: schema })], options).breaks).toMatchObject([
      { cause: "settings-changed", detail: "`text` is another one" },
    ]);
  });
});
