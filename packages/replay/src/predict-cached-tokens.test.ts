import fc from "fast-check";
import { CONTEXT_ADDED, CONTEXT_REWRITTEN, LLM_REQUEST_REQUESTED } from "@promptfold/contract";
import { mappingIds } from "@promptfold/renderer";
import { describe, expect, it } from "vitest";
import { compareRequests, predictCachedTokens, type ReplayedRequest, replayRequest } from "./index.ts";
import { question, section, settled, stream, summary } from "./testing/events.ts";

type Entry = [type: string, payload: unknown];

const asking = (mapping: string, model: string, parameters: object = {}): Entry => [
  LLM_REQUEST_REQUESTED,
  { mapping, model, parameters },
];
const answer = (content: string): Entry => [CONTEXT_ADDED, { role: "assistant", content }];
const prompt = section("rules", "Sign every commit. ".repeat(50));

/** The first and the newest request of a stream. */
async function requests(...entries: Entry[]): Promise<[ReplayedRequest, ReplayedRequest]> {
  const events = stream(...entries);
  const offsets = events.filter(({ type }) => type === LLM_REQUEST_REQUESTED).map(({ offset }) => offset);
  const [first, newest] = [offsets[0] ?? 0, offsets.at(-1) ?? 0];
  return [await replayRequest(events, first), await replayRequest(events, newest)];
}

/** Two requests with an answer and a question between them, and what else is given. */
function turns(first: Entry, second: Entry = first, ...between: Entry[]) {
  return requests(
    prompt,
    question("one"),
    first,
    answer("1"),
    settled(3),
    ...between,
    question("two"),
    second,
  );
}

const characters = ({ blocks }: ReplayedRequest): number =>
  blocks.reduce((total, { text }) => total + text.length, 0);

describe("predictCachedTokens", () => {
  it.each(mappingIds)(
    "is the whole input of a request that the later one begins with, under %s",
    async (id) => {
      const [earlier, later] = await turns(asking(id, "some-model"));
      expect(predictCachedTokens(earlier, later, 5_432)).toBe(5_432);
    },
  );

  it.each([
    ["openai-chat@2", "gpt-5", 1_024],
    ["openai-chat@2", "gpt-5.6", 1_024],
    ["anthropic-messages@1", "claude-haiku-4-5", 4_096],
    ["anthropic-messages@1", "claude-opus-5", 512],
    ["ai-sdk@1", "anthropic/claude-haiku-4.5", 4_096],
    ["gemini@1", "gemini-2.5-pro", 2_048],
    ["gemini@1", "gemini-3-pro", 4_096],
  ])("is nothing below what %s to %s is cached from", async (mapping, model, minimum) => {
    const [earlier, later] = await turns(asking(mapping, model));
    expect(predictCachedTokens(earlier, later, minimum - 1)).toBe(0);
    expect(predictCachedTokens(earlier, later, minimum)).toBe(minimum);
  });

  it("is nothing for another model or mapping", async () => {
    const chat = asking("openai-chat@1", "gpt-5");
    for (const other of [
      asking("openai-chat@1", "gpt-5-mini"),
      asking("openai-chat@2", "gpt-5"),
      asking("anthropic-messages@1", "gpt-5"),
    ])
      expect(predictCachedTokens(...(await turns(chat, other)), 5_000)).toBe(0);
    const [flash, pro] = [asking("gemini@1", "gemini-2.5-flash"), asking("gemini@1", "gemini-2.5-pro")];
    expect(predictCachedTokens(...(await turns(flash, pro)), 5_000)).toBe(0);
  });

  it("is what leads the request where a setting is part of the messages' cache", async () => {
    const id = ["anthropic-messages@1", "claude-sonnet-4-5"] as const;
    const [earlier, later] = await turns(asking(...id), asking(...id, { thinkingBudget: 2_000 }));
    const lead = earlier.blocks.slice(0, 2).reduce((total, { text }) => total + text.length, 0);
    const share = Math.round((20_000 * lead) / characters(earlier));
    expect(predictCachedTokens(earlier, later, 20_000)).toBe(share);
    expect(share).toBeLessThan(20_000);
  });

  it.each([
    ["openai-chat@1", "gpt-5"],
    ["anthropic-messages@1", "claude-sonnet-4-5"],
  ])("is the share of what a compaction leaves, under %s", async (mapping, model) => {
    const ask = asking(mapping, model);
    const [earlier, later] = await turns(ask, ask, summary(3));
    const kept = earlier.blocks.slice(0, 2).reduce((total, { text }) => total + text.length, 0);
    expect(predictCachedTokens(earlier, later, 20_000)).toBe(
      Math.round((20_000 * kept) / characters(earlier)),
    );
  });

  it("ends at the last mark before a difference where the model finds only what a mark ends", async () => {
    const shared = question("the same words at the start ".repeat(40));
    const predict = async (mapping: string, model: string): Promise<number> => {
      const ask = asking(mapping, model);
      const [earlier] = await requests(prompt, shared, question("one"), ask);
      const [later] = await requests(prompt, shared, question("another"), ask);
      return predictCachedTokens(earlier, later, 20_000) / 20_000;
    };
    const [marks, prefix] = [
      await predict("anthropic-messages@1", "claude-sonnet-4-5"),
      await predict("openai-chat@1", "gpt-5"),
    ];
    expect(marks).toBeGreaterThan(0.5);
    expect(marks).toBeLessThan(prefix - 0.05);
  });

  it("leaves out what stands behind the newest user message where the model caches no further by itself", async () => {
    const ask = asking("openai-chat@1", "gpt-5.6");
    const [earlier, later] = await turns(ask);
    const stamp = earlier.blocks.at(-1)?.text.length ?? 0;
    const share = 1 - stamp / characters(earlier);
    expect(predictCachedTokens(earlier, later, 20_000)).toBe(Math.round(20_000 * share));
  });

  it("is no more than the text that a comparison calls cached, and all of it where the law held", async () => {
    const models = ["m", "gpt-5", "gpt-5.6", "claude-sonnet-4-5", "gemini-2.5-pro"];
    const ask = fc
      .tuple(
        fc.constantFrom(...mappingIds),
        fc.constantFrom(...models),
        fc.constantFrom({}, { thinkingBudget: 2_000 }),
      )
      .map((parts) => asking(...parts));
    const text = fc.string({
      unit: fc.constantFrom("a", "ü", "🌱", " ", "\n"),
      minLength: 1,
      maxLength: 900,
    });
    const key = fc.constantFrom("rules", "notes");
    const entry = fc.oneof(
      text.map(question),
      text.map(answer),
      fc.tuple(key, text).map((parts) => section(...parts)),
      fc
        .tuple(key, text)
        .map(([name, content]): Entry => [CONTEXT_REWRITTEN, { op: "replace", key: name, content }]),
      fc.constant(summary(3)),
    );
    const input = fc.record({
      first: ask,
      second: fc.option(ask, { nil: undefined }),
      between: fc.array(entry, { maxLength: 6 }),
      inputTokens: fc.nat(100_000),
    });
    await fc.assert(
      fc.asyncProperty(input, async ({ first, second = first, between, inputTokens }) => {
        const [earlier, later] = await turns(first, second, ...between);
        const tokens = predictCachedTokens(earlier, later, inputTokens);
        const {
          held,
          cacheLoss,
          cachedTokens = 0,
        } = compareRequests(earlier, later, {
          countTokens: ({ length }) => length,
          minimumTokens: 0,
        });
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThanOrEqual(0);
        expect(tokens).toBeLessThanOrEqual(Math.round((inputTokens * cachedTokens) / characters(earlier)));
        const { marks, model } = earlier;
        const findsAnyPrefix = !/claude|gpt-5\.6/.test(model) && marks.length === 0;
        if (!held || cacheLoss !== undefined || !findsAnyPrefix) return;
        const isGemini = model.startsWith("gemini") || earlier.mapping === "gemini@1";
        const minimum = isGemini ? 2_048 : model.startsWith("gpt") ? 1_024 : 0;
        expect(tokens).toBe(inputTokens >= minimum ? inputTokens : 0);
      }),
      { numRuns: 1_000 },
    );
  });
});
