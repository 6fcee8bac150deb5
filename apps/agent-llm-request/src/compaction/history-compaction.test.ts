import type { StoredEvent } from "@promptfold/contract";
import { contextItems, foldEvents } from "@promptfold/fold";
import { type CommittedEvent, type Journal, JournalStorageError, type NewEvent } from "@promptfold/journal";
import { mappingIds, verifyPrefix } from "@promptfold/renderer";
import { replayCompaction, replayRequest } from "@promptfold/replay";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  AgentHarness,
  ControlledModel,
  eventLoopTurns,
  isSummary,
  ofType,
  replyOf,
  stream,
} from "../../test/agent-harness.ts";
import type { ModelReply } from "../index.ts";

const settled = ofType("agent/llm-request-settled");
const requested = ofType("agent/llm-request-requested");
const compaction = { contextWindow: 1_000, threshold: 0.5 };

let harness: AgentHarness;
let model: ControlledModel;
beforeEach(async () => {
  harness = await AgentHarness.open();
  model = new ControlledModel();
});
afterEach(async () => {
  await harness.close();
});

/** Says something and replies to the request that follows, which is the nth call of the model. */
async function turn(call: number, text: string, tokens: number): Promise<void> {
  await harness.say(`question ${text}`);
  harness.scheduler.advance(250);
  const requests = (await harness.events()).filter(requested).length;
  (await model.called(call)).reply(replyOf(`answer ${text}`, tokens));
  await harness.seen(settled, requests + 1);
}

function contents(body: unknown): string[] {
  return (body as { messages: { content: string }[] }).messages.map(({ content }) => content);
}

function contentOf({ payload }: CommittedEvent): string {
  const { content = "" } = payload as { content?: string };
  return content;
}

async function storedEvents(): Promise<StoredEvent[]> {
  return await harness.events();
}

describe("a history that has grown to the threshold", () => {
  it("is replaced by a summary, made by a call that repeats the request and adds one message", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(1, "one", 200);
    await turn(2, "two", 500);
    const measured = await model.called(2);
    const call = await model.called(3);
    expect(contents(call.body).slice(0, -1)).toEqual(contents(measured.body));
    expect(contents(call.body).at(-1)).toMatch(/summary/);
    call.reply({ text: "one and two", finishReason: "stop", usage: { inputTokens: 520, outputTokens: 20 } });
    const summary = await harness.seen(isSummary);
    expect(summary).toMatchObject({
      idempotencyKey: "compact/12",
      source: { processor: "agent-llm-request", trust: "inside" },
      payload: {
        role: "developer",
        content: "Summary of the conversation up to here:\n\none and two",
        compaction: {
          requestOffset: 12,
          // The newest reply that was sent stays: its script could still be running.
          replacesHistoryThrough: 7,
          instruction: contents(call.body).at(-1),
          model: "default",
          mapping: "openai-chat@1",
          finishReason: "stop",
          usage: { inputTokens: 520, outputTokens: 20 },
          dropped: { messages: 1, requests: 1, sections: 0 },
        },
      },
    });
    await turn(4, "three", 300);
    const [protocol, document, ...timeline] = contents((await model.called(4)).body);
    expect([protocol, document]).toEqual(contents(measured.body).slice(0, 2));
    expect(timeline.map((content) => content.replace(/: 2026.*/, ""))).toEqual([
      "Summary of the conversation up to here:\n\none and two",
      "answer one",
      "question two",
      "Requested at",
      "answer two",
      "question three",
      "Requested at",
    ]);
    expect(harness.problems).toEqual([]);
  });

  it.each(mappingIds)(
    "is served from the cache: the call begins with the request under %s",
    async (mapping) => {
      harness.start(model);
      await harness.create({ compaction, mapping });
      await turn(1, "one", 600);
      const [measured, call] = [await model.called(1), await model.called(2)];
      expect(verifyPrefix(measured.body, call.body).held).toBe(true);
    },
  );

  it("can be looked at again: the call, and the requests on both sides of the summary", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(1, "one", 600);
    (await model.called(2)).reply(replyOf("so far", 600));
    const summary = await harness.seen(isSummary);
    await turn(3, "two", 100);
    const events = await storedEvents();
    const rebuilt = await replayCompaction(events, summary.offset, { stream });
    expect(JSON.stringify(rebuilt.body)).toBe(JSON.stringify((await model.called(2)).body));
    const requests = (await harness.events()).filter(requested);
    for (const [index, call] of [1, 3].entries()) {
      const replayed = await replayRequest(events, requests[index]?.offset ?? 0, { stream });
      expect(JSON.stringify(replayed.body)).toBe(JSON.stringify((await model.called(call)).body));
    }
  });

  it("keeps a message that came while the summary was written, once and behind it", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(1, "one", 600);
    const call = await model.called(2);
    await harness.say("NEW");
    call.reply(replyOf("so far", 600));
    await harness.seen(isSummary);
    harness.scheduler.advance(250);
    const next = contents((await model.called(3)).body);
    expect(next.filter((content) => content === "NEW")).toHaveLength(1);
    expect(next.indexOf("NEW")).toBeGreaterThan(next.findIndex((content) => content.includes("so far")));
    expect(contents(call.body)).not.toContain("NEW");
  });

  it("keeps a reply whose script runs, and its result", async () => {
    let finish: (() => void) | undefined;
    harness.start(
      model,
      () =>
        new Promise((resolve) => {
          finish = () => {
            resolve({ settlement: { status: "succeeded", result: 42 }, logs: [], omittedLogLines: 0 });
          };
        }),
    );
    await harness.create({ compaction });
    await turn(1, "one", 100);
    await harness.say("go");
    harness.scheduler.advance(250);
    (await model.called(2)).reply(replyOf("```ts\nasync (host) => 42\n```", 200));
    await harness.seen(ofType("capability-host/script-run-requested"));
    await turn(3, "meanwhile", 600);
    (await model.called(4)).reply(replyOf("so far", 600));
    const { payload } = await harness.seen(isSummary);
    const scripted = (await harness.events()).find((event) => contentOf(event).startsWith("```ts"));
    const through = (scripted?.offset ?? 0) - 1;
    expect(payload).toMatchObject({ compaction: { replacesHistoryThrough: through } });
    finish?.();
    await harness.seen(({ idempotencyKey }) => idempotencyKey?.startsWith("script-result/") === true);
    const texts = contextItems(foldEvents(await storedEvents()).state).map((item) =>
      item.kind === "message" ? item.payload.content : item.kind,
    );
    expect(texts).toContainEqual(expect.stringContaining("async (host) => 42"));
    expect(texts).toContainEqual(expect.stringContaining("Your script returned"));
  });

  it.each([
    { left: 600, small: 749, grown: 750, until: "a quarter more than a compaction left" },
    { left: 800, small: 899, grown: 900, until: "nine tenths of the window" },
  ])("is not summarised again before it has $until", async ({ left, small, grown }) => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(1, "one", 600);
    (await model.called(2)).reply(replyOf("so far", 600));
    await harness.seen(isSummary);
    await turn(3, "two", left);
    await turn(4, "three", small);
    await turn(5, "four", grown);
    expect(contents((await model.called(6)).body).at(-1)).toMatch(/summary/);
  });
});

describe("a history that stays", () => {
  it.each([
    ["below the threshold", { compaction }, 499],
    ["without a context window", {}, 100_000],
    ["of an agent with a higher threshold", { compaction: { ...compaction, threshold: 0.9 } }, 899],
  ])("%s", async (_, config, tokens) => {
    harness.start(model);
    await harness.create(config);
    await turn(1, "one", tokens);
    await eventLoopTurns();
    expect(model.calls).toHaveLength(1);
    await turn(2, "two", tokens);
    expect((await harness.events()).filter(isSummary)).toEqual([]);
  });

  it.each<[string, ModelReply | Error, string]>([
    ["fails", new Error("overloaded"), "overloaded"],
    ["is blank", replyOf(" \n", 600), "the summary is blank"],
    ["is cut off", { ...replyOf("so f", 600), finishReason: "length" }, "the summary was cut off (length)"],
  ])(
    "as it was when the call for a summary %s; the next request brings another call",
    async (_, answer, why) => {
      harness.start(model);
      await harness.create({ compaction });
      await turn(1, "one", 600);
      const before = await harness.events();
      (await model.called(2)).reply(answer);
      await turn(3, "two", 700);
      expect((await harness.events()).slice(0, before.length)).toEqual(before);
      expect(verifyPrefix((await model.called(1)).body, (await model.called(3)).body).held).toBe(true);
      expect(harness.problems).toEqual([expect.objectContaining({ code: "compaction-failed" })]);
      expect((harness.problems[0] as Error).message).toContain(why);
      (await model.called(4)).reply(replyOf("so far", 700));
      expect((await harness.seen(isSummary)).idempotencyKey).toBe("compact/12");
    },
  );

  it("as it was when the call takes half of a request's time, and leaves a message that waits the other half", async () => {
    harness.start(model);
    await harness.create({ compaction, llmRequestExpiryMs: 60_000 });
    await turn(1, "one", 600);
    await model.called(2);
    await harness.say("waiting");
    harness.scheduler.advance(30_000);
    (await model.called(3)).reply({ text: "done" });
    await harness.seen(settled, 2);
    expect((await harness.events()).filter(isSummary)).toEqual([]);
    expect((harness.problems[0] as Error).message).toContain("the model took too long");
  });

  it("while the agent is paused", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await harness.say("one");
    harness.scheduler.advance(250);
    const first = await model.called(1);
    const inside = harness.journal.as({ processor: "test", trust: "inside" });
    await inside.append(stream, [{ type: "agent/paused", payload: {} }]);
    first.reply(replyOf("answer one", 600));
    await harness.seen(settled);
    await eventLoopTurns();
    expect(model.calls).toHaveLength(1);
    await harness.say("two");
    const call = await model.called(2);
    expect(contents(call.body)).not.toContain("two");
    call.reply(replyOf("so far", 600));
    await harness.seen(isSummary);
  });

  it("as it was when somebody interrupts", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(1, "one", 600);
    const call = await model.called(2);
    await harness.say("stop", { llmRequestPolicy: { behaviour: "interrupt-current-request" } });
    harness.scheduler.advance(250);
    expect(contents((await model.called(3)).body)).toContain("stop");
    expect(call.signal.aborted).toBe(true);
    expect((await harness.events()).filter(isSummary)).toEqual([]);
    expect(harness.problems).toEqual([]);
  });

  it.each(["*", "identity"])("without what was deleted while the summary was written: %s", async (key) => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(1, "one", 600);
    const call = await model.called(2);
    const inside = harness.journal.as({ processor: "test", trust: "inside" });
    await inside.append(stream, [{ type: "agents/context-rewritten", payload: { op: "delete", key } }]);
    await eventLoopTurns();
    call.reply(replyOf("You test, and they said one", 600));
    await turn(3, "two", 100);
    const next = JSON.stringify((await model.called(3)).body);
    expect(next).not.toContain(key === "*" ? "question one" : "You test");
    expect((await harness.events()).filter(isSummary)).toEqual([]);
  });
});

describe("what is appended in the moment before the summary", () => {
  /** The harness's journal, where something happens each time before a summary is appended. */
  function beforeSummaries(happen: (target: string) => Promise<void>): Journal {
    const { journal } = harness;
    return {
      ...journal,
      as: (source) => {
        const handle = journal.as(source);
        return {
          ...handle,
          append: async (target, events, options) => {
            if (events[0]?.idempotencyKey?.startsWith("compact/") === true) await happen(target);
            return handle.append(target, events, options);
          },
        };
      },
    };
  }

  /** The harness's journal, where this event slips in before the first summary. */
  function withIntruder(intruder: NewEvent): Journal {
    const inside = harness.journal.as({ processor: "test", trust: "inside" });
    let isIn = false;
    return beforeSummaries(async (target) => {
      if (isIn) return;
      isIn = true;
      await inside.append(target, [intruder]);
    });
  }

  it("stays behind the summary when it is a message", async () => {
    const message = { role: "user", content: "NEW", llmRequestPolicy: { behaviour: "dont-trigger-request" } };
    harness.start(model, undefined, withIntruder({ type: "agents/context-added", payload: message }));
    await harness.create({ compaction });
    await turn(1, "one", 600);
    (await model.called(2)).reply(replyOf("so far", 600));
    const { offset } = await harness.seen(isSummary);
    expect((await harness.events())[offset - 2]).toMatchObject({ payload: { content: "NEW" } });
    await turn(3, "two", 100);
    expect(contents((await model.called(3)).body).slice(2, 5)).toEqual([
      "Summary of the conversation up to here:\n\nso far",
      "answer one",
      "NEW",
    ]);
  });

  it("is tried again without another call when the journal fails there", async () => {
    let failures = 0;
    const journal = beforeSummaries(() =>
      failures++ === 0
        ? Promise.reject(new JournalStorageError("busy", "another writer is slow"))
        : Promise.resolve(),
    );
    harness.start(model, undefined, journal);
    await harness.create({ compaction });
    await turn(1, "one", 600);
    (await model.called(2)).reply(replyOf("so far", 600));
    while (!(await harness.events()).some(isSummary)) {
      harness.scheduler.advance(1_000);
      await eventLoopTurns();
    }
    expect(failures).toBe(2);
    expect(model.calls).toHaveLength(2);
  });

  it("is not undone by it when it is a deletion", async () => {
    const deletion = { type: "agents/context-rewritten", payload: { op: "delete", key: "identity" } };
    harness.start(model, undefined, withIntruder(deletion));
    await harness.create({ compaction });
    await turn(1, "one", 600);
    (await model.called(2)).reply(replyOf("You test, and they said one", 600));
    await turn(3, "two", 100);
    expect(JSON.stringify((await model.called(3)).body)).not.toContain("You test");
    expect((await harness.events()).filter(isSummary)).toEqual([]);
  });
});

describe("a process that ends while the summary is written", () => {
  it("leaves a log at rest, and the next turn begins with the summary", async () => {
    const lost = new ControlledModel();
    const first = model;
    const stop = harness.start(model);
    await harness.create({ compaction });
    await turn(1, "one", 600);
    await model.called(2);
    await stop();
    const before = await harness.events();
    expect(before.at(-1)?.type).toBe("agent/token-usage-reported");
    model = lost;
    harness.start(model);
    harness.scheduler.advance(3_600_000);
    await eventLoopTurns();
    expect(model.calls).toEqual([]);
    expect(await harness.events()).toEqual(before);
    await harness.say("two");
    const call = await model.called(1);
    expect(JSON.stringify(call.body)).toBe(JSON.stringify((await first.called(2)).body));
    call.reply(replyOf("so far", 600));
    harness.scheduler.advance(250);
    const next = contents((await model.called(2)).body);
    expect(next.slice(2, 4)).toEqual(["Summary of the conversation up to here:\n\nso far", "answer one"]);
  });

  it("is followed by one that neither asks nor appends again when the summary stands", async () => {
    const stop = harness.start(model);
    await harness.create({ compaction });
    await turn(1, "one", 600);
    (await model.called(2)).reply(replyOf("so far", 600));
    await harness.seen(isSummary);
    await stop();
    const before = await harness.events();
    harness.start(model);
    harness.start(model);
    harness.scheduler.advance(3_600_000);
    await turn(3, "two", 100);
    expect((await harness.events()).slice(0, before.length)).toEqual(before);
    expect((await harness.events()).filter(isSummary)).toHaveLength(1);
    expect(model.calls).toHaveLength(3);
  });
});
