import type { StoredEvent } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { mappingIds } from "@promptfold/renderer";
import { describe, expect, it } from "vitest";
import { renderCounterfactual, replayRequest } from "./index.ts";

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
      for (const [size, { body }] of [
        [result.originalSize, result.original],
        [result.changedSize, result.changed],
      ] as const) {
        expect(size.bytes).toBe(Buffer.byteLength(JSON.stringify(body)));
      }
      expect(result.difference.bytes).toBe(result.changedSize.bytes - result.originalSize.bytes);
      expect(result.difference.tokens === 0).toBe(/openai-chat|responses/.test(mapping));
    },
  );

  it("says what another model would cost, uncached and cached", () => {
    const prices = { "gpt-5": { input: 10, cachedInput: 1 }, "gpt-5-mini": { input: 2, cachedInput: 0.2 } };
    const { originalSize, changedSize, difference, changed } = renderCounterfactual(
      state,
      { model: "gpt-5-mini" },
      { countTokens, prices },
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
