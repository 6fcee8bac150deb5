import { describe, expect, it } from "vitest";
import {
  BodyDoctor,
  diagnoseBodies,
  type Diagnosis,
  findPrice,
  formatDiagnosis,
  InvalidPriceTableError,
  parsePriceTable,
} from "../../index.ts";

const price = { input: 2, cachedInput: 0.2 };

describe("findPrice", () => {
  it.each([
    ["gpt-5", "gpt-5"],
    ["gpt-5", "gpt-5-2025-08-07"],
    ["gpt-5", "openai/gpt-5"],
    ["gpt-5", "openai/gpt-5-2025-08-07"],
    ["openai/gpt-5", "openai/gpt-5"],
    ["gpt-5-2025-08-07", "gpt-5-2025-08-07"],
    ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"],
    ["claude-sonnet-4-5", "claude-sonnet-4-5@20250929"],
    ["claude-sonnet-4-5", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
    ["claude-opus-5", "global.anthropic.claude-opus-5-v1:0"],
    ["claude-opus-5", "anthropic.claude-opus-5-v1:0"],
    ["claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"],
    ["claude-3-5-haiku", "claude-3-5-haiku-latest"],
    ["gemini-3-pro", "models/gemini-3-pro"],
  ])("takes the entry %s for %s", (name, model) => {
    expect(findPrice({ [name]: price }, model)).toBe(price);
  });

  it.each([
    ["gpt-5", "gpt-5-mini"],
    ["gpt-5", "gpt-5.1"],
    ["gpt-5", "gpt-5-codex-2025-08-07"],
    ["gpt-5-2025-08-07", "gpt-5"],
    ["gpt-5-2025-08-07", "gpt-5-2025-10-01"],
    ["claude-sonnet-4", "claude-sonnet-4-5-20250929"],
    ["claude", "claude-opus-5"],
    ["o1", "o1-mini"],
    ["gpt-5", "__proto__"],
    ["gpt-5", "constructor"],
    ["gpt-5", ""],
  ])("does not take the entry %s for %s", (name, model) => {
    expect(findPrice({ [name]: price }, model)).toBeUndefined();
  });

  it("prefers the entry of a snapshot to that of its name", () => {
    const old = { input: 3, cachedInput: 1 };
    expect(findPrice({ "gpt-5": price, "gpt-5-2025-08-07": old }, "gpt-5-2025-08-07")).toBe(old);
  });
});

describe("parsePriceTable", () => {
  it("gives a right table back", () => {
    const table = { "gpt-5": price, free: { input: 0, cachedInput: 0 } };
    expect(parsePriceTable(table)).toBe(table);
  });

  it.each([
    [{ m: { input: 1, cachedInput: 2 } }, "the price of m has a `cachedInput` above its `input`"],
    [{ m: { input: 3, cachedInput: 2, cacheWrite: 1 } }, "`cachedInput` above its `cacheWrite`"],
    [{ m: { input: 1 } }, "the price of m is incomplete"],
    [{ m: { input: -1, cachedInput: -2 } }, "the price of m is incomplete"],
    [{ m: { input: "1", cachedInput: 0 } }, "the price of m is incomplete"],
    [{ m: { input: NaN, cachedInput: NaN } }, "the price of m is incomplete"],
    [{ m: 5 }, "the price of m is no JSON object"],
    [[], "it is no JSON object"],
  ])("refuses %j", (table, message) => {
    expect(() => parsePriceTable(table)).toThrow(InvalidPriceTableError);
    expect(() => parsePriceTable(table)).toThrow(message);
    expect(() => new BodyDoctor({ prices: table as never })).toThrow(InvalidPriceTableError);
  });
});

describe("what a missed cache costs", () => {
  const prices = { "claude-opus-5": { input: 5, cachedInput: 0.5, cacheWrite: 6.25 } };
  const text = "word ".repeat(3000);
  const body = (length: number, isMarked: boolean): object => ({
    model: "claude-opus-5",
    max_tokens: 9,
    system: text,
    messages: Array.from({ length }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: [
        {
          type: "text",
          text: `turn ${index}`,
          ...(isMarked && index === length - 1 ? { cache_control: { type: "ephemeral" } } : {}),
        },
      ],
    })),
  });
  const diagnose = (isMarked: boolean): Diagnosis =>
    diagnoseBodies([body(1, isMarked), body(41, isMarked)], {
      countTokens: ({ length }) => length / 4,
      prices,
    });

  it("is a write where marks are out of reach: what they do not find is written anew", () => {
    const [note] = diagnose(true).notes;
    expect(note).toMatchObject({ kind: "marks-out-of-reach", tokens: 3751.5 });
    expect(note?.money).toBeCloseTo((3751.5 * 5.75) / 1e6, 10);
  });

  it("is no write where nothing is marked", () => {
    const [note] = diagnose(false).notes;
    expect(note).toMatchObject({ kind: "no-cache-marks", tokens: 3751.5 });
    expect(note?.money).toBeCloseTo((3751.5 * 4.5) / 1e6, 10);
  });

  it("is told in whole tokens, and beside what breaks lost", () => {
    const told = formatDiagnosis(diagnose(true));
    expect(told).toContain(
      "  lost    3752 tokens that were sent before and could have come from the cache, $0.0216\n",
    );
    expect(told).toMatch(/^\d+ tokens sent, 0 of them cacheable as sent, 0 lost by breaks\.$/m);
  });
});
