import type { CommittedEvent, Journal, NewEvent } from "@promptfold/journal";
import { replayRequest } from "@promptfold/replay";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  AgentHarness,
  ControlledModel,
  eventLoopTurns,
  isSummary,
  ofType,
  stream,
} from "../../test/agent-harness.ts";
import type { CacheReport, ModelReply, ModelUsage } from "../index.ts";

const settled = ofType("agent/llm-request-settled");
const requested = ofType("agent/llm-request-requested");
const usageReported = ofType("agent/token-usage-reported");

let harness: AgentHarness;
let model: ControlledModel;
let reports: CacheReport[];
beforeEach(async () => {
  harness = await AgentHarness.open();
  model = new ControlledModel();
  reports = [];
  harness.onCacheReport = (report) => {
    reports.push(report);
  };
});
afterEach(async () => {
  await harness.close();
});

const reply = (inputTokens: number, cachedInputTokens?: number, rest?: Partial<ModelUsage>): ModelReply => ({
  text: "an answer",
  usage: {
    inputTokens,
    outputTokens: 10,
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...rest,
  },
});

async function count(fits: (event: CommittedEvent) => boolean): Promise<number> {
  return (await harness.events()).filter(fits).length;
}

/** Says something, and replies to the request that follows; the offset of the request. */
async function turn(answer: ModelReply | Error): Promise<number> {
  const before = await count(requested);
  await harness.say("question");
  return await answerNext(answer, before);
}

/** Replies to the request that opens next. */
async function answerNext(answer: ModelReply | Error, before: number): Promise<number> {
  const [calls, ends] = [model.calls.length, await count(settled)];
  harness.scheduler.advance(250);
  const { offset } = await harness.seen(requested, before + 1);
  (await model.called(calls + 1)).reply(answer);
  await harness.seen(settled, ends + 1);
  await eventLoopTurns();
  return offset;
}

/** Waits until so many replies were told of; gives them all. */
async function told(count: number): Promise<readonly CacheReport[]> {
  while (reports.length < count) await eventLoopTurns();
  return reports;
}

async function append(type: string, payload: object, trust: "inside" | "outside" = "inside"): Promise<void> {
  await harness.journal.as({ processor: "test", trust }).append(stream, [{ type, payload }]);
  await eventLoopTurns();
}

describe("what a cache gave", () => {
  it("is told of each reply after the first one that was counted, beside the whole request before it", async () => {
    harness.start(model);
    await harness.create();
    const first = await turn(reply(2_000, 0));
    harness.scheduler.advance(60_000);
    const second = await turn(reply(2_100, 1_920));
    const third = await turn(reply(2_200, 0));
    expect(await told(2)).toEqual([
      {
        stream,
        requestOffset: second,
        comparedWith: first,
        elapsedMs: 60_250,
        inputTokens: 2_100,
        predictedTokens: 2_000,
        reportedTokens: 1_920,
      },
      {
        stream,
        requestOffset: third,
        comparedWith: second,
        elapsedMs: 250,
        inputTokens: 2_200,
        predictedTokens: 2_100,
        reportedTokens: 0,
      },
    ]);
    expect(harness.problems).toEqual([]);
  });

  it("is known after a restart, which tells of no history", async () => {
    const stop = harness.start(model);
    await harness.create();
    await turn(reply(2_000, 0));
    const second = await turn(reply(2_100, 2_000));
    await stop();
    expect(await told(1)).toHaveLength(1);
    reports.splice(0);
    harness.start(model);
    await eventLoopTurns();
    expect(reports).toEqual([]);
    const third = await turn(reply(2_200, 2_100));
    expect(await told(1)).toMatchObject([
      { requestOffset: third, comparedWith: second, predictedTokens: 2_100, reportedTokens: 2_100 },
    ]);
  });

  it("is told of a request that was taken over, by who recorded its reply", async () => {
    const stop = harness.start(model);
    await harness.create();
    await turn(reply(2_000, 0));
    await harness.say("question");
    harness.scheduler.advance(250);
    await model.called(2);
    await stop();
    harness.start(model);
    (await model.called(3)).reply(reply(2_100, 2_000));
    await harness.seen(settled, 2);
    await eventLoopTurns();
    expect(await told(1)).toMatchObject([{ predictedTokens: 2_000, reportedTokens: 2_000 }]);
  });

  it("is not told of a reply that somebody else recorded first", async () => {
    const { journal } = harness;
    const theirs: NewEvent = {
      type: "agents/context-added",
      payload: { role: "assistant", content: "theirs", llmRequestOffset: 12 },
      idempotencyKey: "settle/12:item",
    };
    const raced: Journal = {
      ...journal,
      as: (source) => {
        const handle = journal.as(source);
        return {
          ...handle,
          append: async (to, events, options) => {
            const [item, ...rest] = events;
            if (item?.idempotencyKey === theirs.idempotencyKey) {
              await handle.append(to, [theirs, ...rest]);
              await eventLoopTurns();
            }
            return handle.append(to, events, options);
          },
        };
      },
    };
    harness.start(model, undefined, raced);
    await harness.create();
    await turn(reply(2_000, 0));
    expect(await turn(reply(2_100, 2_000))).toBe(12);
    expect(await count(({ payload }) => (payload as { content?: string }).content === "theirs")).toBe(1);
    expect(reports).toEqual([]);
    await turn(reply(2_200, 2_100));
    expect(await told(1)).toMatchObject([{ comparedWith: 12, predictedTokens: 2_100 }]);
  });

  it("is compared with the newest request that was counted, whatever failed since", async () => {
    harness.start(model);
    await harness.create({ llmRequestRetryPolicy: { maxAttempts: 1 } });
    const first = await turn(reply(2_000, 0));
    await turn(new Error("out of order"));
    await turn({ text: "not counted" });
    expect(reports).toEqual([]);
    await turn(reply(2_300, 2_000));
    expect(await told(1)).toMatchObject([{ comparedWith: first, predictedTokens: 2_000 }]);
  });

  it("is not told where the provider says nothing of its cache, and what it counted still serves", async () => {
    harness.start(model);
    await harness.create();
    await turn(reply(2_000));
    await turn(reply(2_100));
    expect(reports).toEqual([]);
    await turn(reply(2_200, 0));
    expect(await told(1)).toMatchObject([{ predictedTokens: 2_100, reportedTokens: 0 }]);
  });

  it("is not told of a first request, and nothing is predicted of one that is too short to be cached", async () => {
    harness.start(model);
    await harness.create();
    await turn(reply(1_023, 0));
    expect(reports).toEqual([]);
    await turn(reply(1_100, 0));
    expect(await told(1)).toMatchObject([{ predictedTokens: 0 }]);
  });

  it.each([
    ["another model", { model: "another" }],
    ["another mapping", { mapping: "openai-responses@1" }],
  ])("is predicted as nothing for %s, and as all once it stays", async (_, config) => {
    harness.start(model);
    await harness.create();
    await turn(reply(2_000, 0));
    await append("agent/configured", { config });
    await turn(reply(2_100, 0));
    await turn(reply(2_200, 2_100));
    expect((await told(2)).map(({ predictedTokens }) => predictedTokens)).toEqual([0, 2_100]);
  });

  it("is predicted as what both still begin with after a compaction", async () => {
    harness.start(model);
    await harness.create({ compaction: { contextWindow: 20_000 } });
    const first = await turn(reply(11_000, 0));
    (await model.called(2)).reply(reply(11_100, 11_000));
    await harness.seen(isSummary);
    const second = await turn(reply(9_000, 8_000));
    const [before, after] = await Promise.all(
      [first, second].map(async (offset) => {
        const { messages } = await replayRequest(await harness.events(), offset);
        return messages.map(({ content }) => content);
      }),
    );
    expect(after?.slice(0, 2)).toEqual(before?.slice(0, 2));
    const length = (texts: readonly string[] = []): number => texts.join("").length;
    const share = length(before?.slice(0, 2)) / length(before);
    expect(share).toBeLessThan(0.99);
    expect(await told(1)).toMatchObject([
      { requestOffset: second, comparedWith: first, predictedTokens: Math.round(11_000 * share) },
    ]);
  });

  it("is told once of a reply that is counted again, and the newest count serves the next prediction", async () => {
    harness.start(model);
    await harness.create();
    await turn(reply(2_000, 0));
    const second = await turn(reply(2_100, 0));
    const again = { requestOffset: second, inputTokens: 2_150, outputTokens: 10, cachedInputTokens: 5 };
    await append("agent/token-usage-reported", again);
    // Nobody outside says what a provider counted.
    await append("agent/token-usage-reported", { ...again, inputTokens: 9_999 }, "outside");
    expect(await told(1)).toHaveLength(1);
    await turn(reply(2_200, 2_150));
    expect((await told(2)).slice(1)).toMatchObject([{ comparedWith: second, predictedTokens: 2_150 }]);
  });

  it("is compared with a request that was counted late, unless the next one had opened by then", async () => {
    harness.start(model);
    await harness.create();
    const first = await turn({ text: "not counted" });
    await append("agent/token-usage-reported", { requestOffset: first, inputTokens: 2_000, outputTokens: 1 });
    const second = await turn({ text: "not counted" });
    await harness.say("question");
    harness.scheduler.advance(250);
    await model.called(3);
    await append("agent/token-usage-reported", {
      requestOffset: second,
      inputTokens: 2_100,
      outputTokens: 1,
    });
    expect(reports).toEqual([]);
    model.calls[2]?.reply(reply(2_200, 2_100));
    await harness.seen(settled, 3);
    await eventLoopTurns();
    expect(await told(1)).toMatchObject([{ comparedWith: first, predictedTokens: 2_000 }]);
  });
});

describe("a listener that fails", () => {
  it.each([
    [
      "throws",
      (): void => {
        throw new Error("deaf");
      },
    ],
    ["rejects", (): Promise<void> => Promise.reject(new Error("deaf"))],
    ["never ends", (): Promise<void> => new Promise(() => undefined)],
  ])("disturbs no turn: %s", async (kind, listener) => {
    harness.onCacheReport = listener;
    harness.start(model);
    await harness.create();
    await turn(reply(2_000, 0));
    await turn(reply(2_100, 0));
    await turn(reply(2_200, 0));
    expect(await count(usageReported)).toBe(3);
    while (kind !== "never ends" && harness.problems.length < 2) await eventLoopTurns();
    expect(harness.problems).toEqual(kind === "never ends" ? [] : [new Error("deaf"), new Error("deaf")]);
    expect(harness.retried).not.toContain(true);
  });
});
