import type { StoredEvent } from "@promptfold/contract";
import fc from "fast-check";
import { mappingIds, sharedLength } from "@promptfold/renderer";
import { describe, expect, it } from "vitest";
import { compareRequests, diagnoseBodies, replayRequest } from "./index.ts";
import { conversation, question, request, section, settled, stream, summary } from "./testing/events.ts";

describe("compareRequests", () => {
  const countTokens = (text: string) => text.split(/\s+/).filter(Boolean).length;

  it("finds the earlier request as a prefix of the later one", async () => {
    const [a, b] = await Promise.all([replayRequest(conversation, 4), replayRequest(conversation, 8)]);
    const comparison = compareRequests(a, b, { countTokens });
    expect(comparison).toMatchObject({ held: true, sharedMessages: a.messages.length, brokenBy: [] });
    expect(comparison.sharedCharacters).toBe(
      a.messages.reduce((total, { content }) => total + content.length, 0),
    );
    expect(comparison.sharedTokens).toBeLessThan(comparison.totalTokens ?? 0);
  });

  it("names the compaction that broke the prefix, and where", async () => {
    const [a, b] = await Promise.all([replayRequest(conversation, 8), replayRequest(conversation, 13)]);
    expect(compareRequests(a, b)).toMatchObject({
      held: false,
      firstDifference: { message: 2, character: 0, byte: 0 },
      sharedTokens: undefined,
      brokenBy: [{ offset: 11, kind: "compaction" }],
    });
  });

  it("counts characters and bytes up to the difference inside a message", async () => {
    const rewritten = stream(
      section("notes", "naïve 🌱 A"),
      question("q"),
      request,
      settled(3),
      ["agents/context-rewritten", { op: "replace", key: "notes", content: "naïve 🌱 B" }],
      question("r"),
      request,
    );
    const [a, b] = await Promise.all([replayRequest(rewritten, 3), replayRequest(rewritten, 7)]);
    const opening = '<section key="notes">\n';
    expect(compareRequests(a, b)).toMatchObject({
      firstDifference: { message: 1, character: opening.length + 9, byte: opening.length + 12 },
      brokenBy: [{ offset: 5, kind: "rewrite" }],
    });
  });

  it.each(mappingIds)("counts messages, not the blocks that %s makes of them", async (mapping) => {
    const [a, b] = await Promise.all(
      [4, 8].map((offset) => replayRequest(conversation, offset, { mapping })),
    );
    expect(a?.messages).toHaveLength(4);
    expect(a && b && compareRequests(a, b)).toMatchObject({ held: true, sharedMessages: 4 });
  });

  it("names the message that differs inside a block that was joined from several", async () => {
    const edited = stream(
      section("notes", "A"),
      question("q"),
      request,
      settled(3),
      ["agents/context-rewritten", { op: "replace", key: "notes", content: "B" }],
      question("r"),
      request,
    );
    const options = { mapping: "openai-compatible@1" };
    const [a, b] = await Promise.all([replayRequest(edited, 3, options), replayRequest(edited, 7, options)]);
    const text = (content: string): string => `\n\n<section key="notes">\n${content}\n</section>`;
    const { firstDifference, ...comparison } = compareRequests(a, b);
    expect(comparison).toMatchObject({ held: false, sharedMessages: 1 });
    expect(firstDifference).toMatchObject({
      message: 1,
      character: text("A").indexOf("A"),
      previous: { role: "system", text: text("A") },
      next: { role: "system", text: text("B") },
    });
    expect(comparison.sharedCharacters).toBe(sharedLength(a.blocks[0]?.text ?? "", b.blocks[0]?.text ?? ""));
  });

  it("does not call a prefix what ends inside a block that is joined in the later request", async () => {
    const born = stream(["agent/created", {}], section("notes", "A"));
    const options = { mapping: "openai-compatible@1" };
    const [empty, begun] = await Promise.all([
      replayRequest(born, 1, options),
      replayRequest(born, 2, options),
    ]);
    expect(compareRequests(empty, begun)).toMatchObject({
      held: false,
      sharedMessages: 1,
      firstDifference: { message: 1, character: 0, previous: undefined },
    });
  });

  it("gives the texts that differ as the model reads them, labels included", async () => {
    const at = (second: number): StoredEvent[] =>
      stream(question("q"), request).map((event) => ({
        ...event,
        createdAt: `2026-03-02T09:00:0${second}.000Z`,
      }));
    const options = { mapping: "gemini@1" };
    const [a, b] = await Promise.all([replayRequest(at(4), 2, options), replayRequest(at(5), 2, options)]);
    const { message, character, previous, next } = compareRequests(a, b).firstDifference ?? {};
    expect(message).toBe(2);
    expect(previous?.text).toBe("[[promptfold:developer]]\nRequested at: 2026-03-02T09:00:04.000Z");
    expect(previous?.text.slice(character)).toBe("4.000Z");
    expect(next?.text.slice(character)).toBe("5.000Z");
  });
});

describe("compareRequests names the cause", () => {
  const rewrite = (payload: object): [string, unknown] => ["agents/context-rewritten", payload];
  const begun = [section("a", "AAA"), section("b", "BBB"), section("c", "CCC"), question("x"), request];

  async function causes(
    events: readonly [string, unknown][],
    [earlier, later]: readonly [number, number],
    mapping?: string,
  ) {
    const [a, b] = await Promise.all(
      [earlier, later].map((offset) => replayRequest(stream(...events), offset, { mapping })),
    );
    if (a === undefined || b === undefined) throw new Error("two were asked for");
    return compareRequests(a, b);
  }

  it.each(mappingIds)("by the section that the first difference lies in, under %s", async (mapping) => {
    const { brokenBy, firstDifference } = await causes(
      [
        ...begun,
        settled(5),
        rewrite({ op: "replace", key: "c", content: "C2" }), // 7
        rewrite({ op: "replace", key: "b", content: "B2" }), // 8
        question("y"),
        request, // 10
      ],
      [5, 10],
      mapping,
    );
    expect(firstDifference).toMatchObject({
      previousOrigin: { kind: "section", offset: 2, key: "b" },
      nextOrigin: { kind: "section", offset: 8, key: "b" },
    });
    expect(brokenBy).toEqual([
      { offset: 8, kind: "rewrite", key: "b" },
      { offset: 7, kind: "rewrite", key: "c" },
    ]);
  });

  it("where a section was deleted, and the one after it rewritten", async () => {
    const { brokenBy } = await causes(
      [
        ...begun,
        settled(5),
        rewrite({ op: "delete", key: "b" }), // 7
        rewrite({ op: "replace", key: "c", content: "C2" }), // 8
        question("y"),
        request,
      ],
      [5, 10],
    );
    expect(brokenBy.map(({ offset }) => offset)).toEqual([7, 8]);
  });

  it("where a compaction moved an update into the standing document", async () => {
    const { brokenBy } = await causes(
      [
        ...begun,
        settled(5),
        section("b", "B2"), // 7
        question("y"),
        request, // 9
        settled(9),
        rewrite({ op: "replace", key: "c", content: "C2" }), // 11
        summary(5), // 12
        question("z"),
        request, // 14
      ],
      [9, 14],
    );
    expect(brokenBy.map(({ offset, kind }) => [offset, kind])).toEqual([
      [12, "compaction"],
      [11, "rewrite"],
    ]);
  });

  it("where an update in the timeline was rewritten, after a rewrite of everything else that is gone", async () => {
    const { brokenBy } = await causes(
      [
        ...begun,
        settled(5),
        section("d", "D1"), // 7
        question("y"),
        request, // 9
        settled(9),
        rewrite({ op: "replace", key: "d", content: "D2" }), // 11
        rewrite({ op: "replace", key: "zz", content: "new" }), // 12
        question("z"),
        request, // 14
      ],
      [9, 14],
    );
    expect(brokenBy.map(({ offset }) => offset)).toEqual([11, 12]);
  });

  it("by the event that stands there where nothing that had been sent was changed", async () => {
    expect((await causes(begun, [1, 5])).brokenBy).toEqual([{ offset: 2, kind: "section", key: "b" }]);
  });
});

describe("compareRequests says what a cache can give", () => {
  const countTokens = (text: string) => text.length;
  const asking = (payload: object): [string, unknown] => [
    "agent/llm-request-requested",
    { model: "claude-opus-4-5", mapping: "anthropic-messages@1", ...payload },
  ];

  async function compare(first: object, second: object, ...between: [string, unknown][]) {
    const events = stream(
      section("a", "AAA"),
      question("x"),
      asking(first),
      settled(3),
      ...between,
      question("y"),
      asking(second),
    );
    const [a, b] = [await replayRequest(events, 3), await replayRequest(events, events.length)];
    return { ...compareRequests(a, b, { countTokens, minimumTokens: 0 }), a, b };
  }

  it("all that both begin with, while mapping, model and settings stay", async () => {
    const { held, cacheLoss, cachedMessages, cachedTokens, sharedTokens } = await compare({}, {});
    expect({ held, cacheLoss, cachedMessages }).toEqual({
      held: true,
      cacheLoss: undefined,
      cachedMessages: 4,
    });
    expect(cachedTokens).toBe(sharedTokens);
  });

  it.each([
    [
      { model: "gpt-5", mapping: "openai-chat@1" },
      { model: "gpt-5-mini", mapping: "openai-chat@1" },
    ],
    [
      { model: "gemini-3", mapping: "gemini@1" },
      { model: "gemini-2", mapping: "gemini@1" },
    ],
    [{ model: "claude-opus-4-5" }, { model: "claude-opus-4-1" }],
  ])("nothing to another model, though the text is a prefix: %j to %j", async (first, second) => {
    const comparison = await compare(first, second);
    expect(comparison).toMatchObject({
      held: true,
      sharedMessages: 4,
      cacheLoss: {
        cause: "model-changed",
        detail: `the model was "${first.model}" and is "${second.model}"`,
        keeps: "nothing",
      },
      cachedMessages: 0,
      cachedTokens: 0,
    });
  });

  it("nothing across mappings, whose difference is no event's", async () => {
    const rewrite: [string, unknown] = [
      "agents/context-rewritten",
      { op: "replace", key: "a", content: "A2" },
    ];
    const chat = { model: "gpt-5", mapping: "openai-chat@2" };
    for (const between of [[], [rewrite]]) {
      expect(await compare(chat, {}, ...between)).toMatchObject({
        held: false,
        cacheLoss: {
          cause: "mapping-changed",
          detail: "the mapping was openai-chat@2 and is anthropic-messages@1",
        },
        cachedTokens: 0,
        brokenBy: [],
      });
    }
    // Where both write the protocol alike, a rewrite of the place of the difference is its cause all the same.
    const responses = { model: "gpt-5", mapping: "openai-responses@1" };
    expect((await compare(chat, responses, rewrite)).brokenBy).toEqual([
      { offset: 5, kind: "rewrite", key: "a" },
    ]);
    expect((await compare(chat, responses)).cacheLoss?.cause).toBe("mapping-changed");
  });

  it("the protocol and the standing document alone where a setting is part of the messages' cache", async () => {
    const comparison = await compare({}, { parameters: { thinkingBudget: 2000 } });
    expect(comparison).toMatchObject({
      held: true,
      cacheLoss: { cause: "settings-changed", detail: "`thinking` is another one", keeps: "lead" },
      sharedMessages: 4,
      cachedMessages: 2,
    });
    expect(comparison.cachedTokens).toBeLessThan(comparison.sharedTokens ?? 0);
    const limited = await compare({}, { parameters: { maxOutputTokens: 77 } });
    expect(limited.cacheLoss).toBeUndefined();
  });

  const rewritten: [string, unknown] = [
    "agents/context-rewritten",
    { op: "replace", key: "a", content: "AAB" },
  ];
  const breakpoints = { model: "gpt-5.6", mapping: "openai-chat@2" };

  it.each([
    ["claude-opus-4-5", {}],
    ["gpt-5.6", breakpoints],
  ])("nothing that ends at no mark, to a model that caches at marks alone: %s", async (_, request) => {
    const comparison = await compare(request, request, rewritten);
    expect(comparison).toMatchObject({
      held: false,
      sharedMessages: 1,
      cacheLoss: { cause: "unmarked", keeps: "nothing" },
      cachedMessages: 0,
      cachedTokens: 0,
    });
    const other = { model: "gpt-5", mapping: "openai-chat@1" };
    expect(await compare(other, other, rewritten)).toMatchObject({ cacheLoss: undefined, cachedMessages: 1 });
  });

  it("nothing that is shorter than what the model caches", async () => {
    const { a, b } = await compare({}, {});
    const comparison = compareRequests(a, b, { countTokens });
    expect(comparison).toMatchObject({
      held: true,
      cacheLoss: { cause: "too-short", keeps: "nothing" },
      cachedMessages: 0,
      cachedTokens: 0,
    });
    expect(comparison.cacheLoss?.detail).toMatch(
      /^what both begin with is \d+ tokens, and this model caches from 4096 on$/,
    );
    // Without a tokenizer nobody knows how long it is.
    expect(compareRequests(a, b)).toMatchObject({ cacheLoss: undefined, cachedMessages: 4 });
  });

  it("and why not, in words that fit what the mapping and the model do", async () => {
    const why = async (model: string, mapping: string): Promise<string | undefined> =>
      (await compare({ model, mapping }, { model, mapping }, rewritten)).cacheLoss?.detail;
    expect(await why("claude-opus-4-5", "openai-chat@2")).toBe(
      "this model caches what ends at a mark, and openai-chat@2 sets none for it",
    );
    expect(await why("gpt-5.6", "openai-chat@1")).toMatch(/, and openai-chat@1 sets no breakpoints$/);
    expect(await why("claude-opus-4-5", "anthropic-messages@1")).toMatch(
      /^this model caches what ends at a mark, and no later one of the earlier request stands in what both/,
    );
    // A server of one's own remembers what it can: no minimum of its is known.
    expect(await why("llama", "openai-compatible@1")).toBeUndefined();
  });

  it("nothing where a setting leaves no more than what is too short", async () => {
    const { a, b } = await compare({}, { parameters: { thinkingBudget: 2000 } });
    const { cacheLoss, cachedMessages } = compareRequests(a, b, { countTokens });
    expect({ cause: cacheLoss?.cause, keeps: cacheLoss?.keeps, cachedMessages }).toEqual({
      cause: "settings-changed",
      keeps: "nothing",
      cachedMessages: 0,
    });
    expect(cacheLoss?.detail).toMatch(
      /^`thinking` is another one, and the \d+ tokens that are left are fewer than/,
    );
  });

  it("what the doctor says of the same bodies, where models cache at marks", async () => {
    const asks = [
      {},
      breakpoints,
      { model: "gpt-5.6", mapping: "openai-responses@1" },
      { ...breakpoints, mapping: "openai-chat@1" },
    ];
    const event = fc.oneof(
      fc.constantFrom("a", "b").map((key) => section(key, "CCC")),
      fc.constant(rewritten),
      fc.nat(30).map((length) => question("z".repeat(length))),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...asks),
        fc.array(event, { maxLength: 5 }),
        fc.constantFrom(0, 1_900),
        async (request, between, minimumTokens) => {
          const { a, b } = await compare(request, request, ...between);
          const options = { countTokens, minimumTokens };
          const { reusableTokens } = diagnoseBodies([a.body, b.body], options);
          expect(compareRequests(a, b, options).cachedTokens).toBe(reusableTokens);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
