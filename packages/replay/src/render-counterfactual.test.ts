import type { StoredEvent } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { mappingIds } from "@promptfold/renderer";
import { describe, expect, it } from "vitest";
import { diagnoseBodies, moneyLost, type PriceTable, renderCounterfactual, replayRequest } from "./index.ts";
import { question, section, settled, stream } from "./testing/events.ts";

const events: readonly StoredEvent[] = [
  ["agent/configured", { config: { mapping: "openai-chat@1" } }],
  ["agents/context-added", { role: "system", key: "rules", content: "Be brief." }],
  ["agents/context-added", { role: "user", content: "naïve question 🌱" }],
  ["agent/llm-request-requested", { model: "gpt-5", mapping: "openai-chat@1" }],
].map(([type, payload], index) => ({
  offset: index + 1,
  type: type as string,
  payload,
  createdAt: `2026-03-02T09:00:0${index}.000Z`,
}));
const { state } = foldEvents(events);
const countTokens = (text: string): number => text.split(/\s+/).filter(Boolean).length;

describe("renderCounterfactual", () => {
  it.each(mappingIds)(
    "renders the same request under %s, with what differs in bytes and tokens",
    async (mapping) => {
      const result = renderCounterfactual(state, { mapping }, { countTokens });
      const original = await replayRequest(events, 4);
      expect(result.original.body).toEqual(original.body);
      expect(result.changed.body).toEqual((await replayRequest(events, 4, { mapping })).body);
      expect(result.changed.mapping).toBe(mapping);
      for (const [size, { body, blocks }] of [
        [result.originalSize, result.original],
        [result.changedSize, result.changed],
      ] as const) {
        expect(size.bytes).toBe(Buffer.byteLength(JSON.stringify(body)));
        expect(size.tokens).toBe(blocks.reduce((sum, { text }) => sum + countTokens(text), 0));
      }
      expect(result.difference.bytes).toBe(result.changedSize.bytes - result.originalSize.bytes);
      expect(result.difference.tokens === 0).toBe(/openai-chat|responses/.test(mapping));
    },
  );

  it.each(mappingIds)("measures a request with nothing in it, too, under %s", (mapping) => {
    const { changedSize } = renderCounterfactual(foldEvents([]).state, { mapping }, { countTokens });
    expect(changedSize.bytes).toBeGreaterThan(0);
    expect(changedSize.tokens).toBeGreaterThan(0);
  });

  it("says what another model would cost, uncached and cached", () => {
    const prices = { "gpt-5": { input: 10, cachedInput: 1 }, "gpt-5-mini": { input: 2, cachedInput: 0.2 } };
    const { originalSize, changedSize, difference, changed } = renderCounterfactual(
      state,
      { model: "gpt-5-mini" },
      { countTokens, prices, minimumTokens: 0 },
    );
    expect(changed.model).toBe("gpt-5-mini");
    expect(difference.tokens).toBe(0);
    expect(originalSize.cost?.uncached).toBeCloseTo(((originalSize.tokens ?? 0) * 10) / 1e6, 12);
    expect(changedSize.cost?.cached).toBeCloseTo(((changedSize.tokens ?? 0) * 0.2) / 1e6, 12);
    expect(difference.cost?.uncached).toBeLessThan(0);
  });

  it("says nothing of money or tokens without a price or a tokenizer", () => {
    expect(renderCounterfactual(state, { model: "x" }, { countTokens }).difference.cost).toBeUndefined();
    expect(renderCounterfactual(state, { model: "x" }).difference.tokens).toBeUndefined();
  });

  it("tries a protocol text that is not released", () => {
    const { changed, original, difference } = renderCounterfactual(
      state,
      { protocolText: "Be good." },
      { countTokens },
    );
    expect(changed.messages[0]?.content).toBe("Be good.");
    expect(changed.messages.slice(1)).toEqual(original.messages.slice(1));
    expect(difference.tokens).toBeLessThan(0);
  });
});

describe("what a request costs", () => {
  const asking: [string, unknown] = ["agent/llm-request-requested", { model: "gpt-5" }];
  const answer: [string, unknown] = [
    "agents/context-added",
    { role: "assistant", content: "1", llmRequestOffset: 3 },
  ];
  const turn = [section("rules", "Sign every commit. ".repeat(2_000)), question("one"), asking];
  const long = foldEvents(stream(...turn)).state;
  const later = foldEvents(stream(...turn, answer, settled(3), question("two"), asking)).state;
  const price = { input: 5, cachedInput: 0.5, cacheWrite: 6.25 };
  const models = ["gpt-5", "gpt-5.6", "claude-sonnet-4-5", "gemini-3-pro"];
  const prices: PriceTable = Object.fromEntries(models.map((model) => [model, price]));
  const cost = (mapping: string, model: string, options: object = {}) => {
    const { changedSize } = renderCounterfactual(
      long,
      { mapping, model },
      { countTokens, prices, ...options },
    );
    const { tokens = 0, cost: { uncached = NaN, cached = NaN } = {} } = changedSize;
    return { tokens, uncached: (uncached * 1e6) / tokens, cached: (cached * 1e6) / tokens };
  };

  it.each([
    ["anthropic-messages@1", "claude-sonnet-4-5"],
    ["ai-sdk@1", "claude-sonnet-4-5"],
    ["openai-chat@1", "gpt-5"],
    ["gemini@1", "gemini-3-pro"],
  ])(
    "is what writing costs at first and reading afterwards, where all is cached: %s, %s",
    (mapping, model) => {
      const { uncached, cached } = cost(mapping, model);
      expect(uncached).toBeCloseTo(price.cacheWrite, 9);
      expect(cached).toBeCloseTo(price.cachedInput, 9);
    },
  );

  it("is what new input costs for all behind the last place that is cached", () => {
    const { tokens, uncached, cached } = cost("openai-chat@1", "gpt-5.6");
    // The stamp stands behind the user's message, at which the model caches by itself.
    const stamp = countTokens("Requested at: 2026-03-02T09:00:02.000Z");
    expect(uncached).toBeCloseTo((price.cacheWrite * (tokens - stamp) + price.input * stamp) / tokens, 9);
    expect(cached).toBeCloseTo((price.cachedInput * (tokens - stamp) + price.input * stamp) / tokens, 9);
  });

  it.each([
    ["without marks to Claude", "openai-chat@1", "claude-sonnet-4-5", {}],
    ["that is shorter than what the model caches", "gemini@1", "gemini-3-pro", { minimumTokens: 9_999 }],
  ])("is what new input costs, always, of a body %s", (_, mapping, model, options) => {
    const { uncached, cached } = cost(mapping, model, options);
    expect(uncached).toBeCloseTo(price.input, 9);
    expect(cached).toBeCloseTo(price.input, 9);
  });

  it.each(["openai-chat@1", "openai-chat@2", "openai-responses@1", "anthropic-messages@1", "ai-sdk@1"])(
    "differs by what the doctor says is lost when none of it is found again: %s",
    (mapping) => {
      for (const model of models) {
        const options = { countTokens, prices };
        const { changed, changedSize } = renderCounterfactual(long, { mapping, model }, options);
        // The next request, whose first word is another one.
        const protocolText = changed.messages[0]?.content.replace(/^This/, "That");
        const next = renderCounterfactual(later, { mapping, model, protocolText }).changed;
        const bodies = [changed, next].map(({ body }) => ({ ...(body as object), model }));
        const { breaks, lostTokens = 0, lostMoney = 0 } = diagnoseBodies(bodies, options);
        expect(breaks).toHaveLength(1);
        const { uncached = NaN, cached = NaN } = changedSize.cost ?? {};
        expect(uncached - cached).toBeCloseTo(lostMoney, 12);
        expect(uncached - cached).toBeCloseTo(moneyLost(lostTokens, price), 12);
      }
    },
  );
});
