import type { CommittedEvent, Journal } from "@promptfold/journal";
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
import { SUMMARY_INSTRUCTION } from "./summary-event.ts";

const settled = ofType("agent/llm-request-settled");
const requested = ofType("agent/llm-request-requested");
const compaction = { contextWindow: 1_000, threshold: 0.5 };
const tooLong = new Error('HTTP 400: {"code":"context_length_exceeded"}');
const urgently = { llmRequestPolicy: { behaviour: "interrupt-current-request" } };

let harness: AgentHarness;
let model: ControlledModel;
beforeEach(async () => {
  harness = await AgentHarness.open();
  model = new ControlledModel();
});
afterEach(async () => {
  await harness.close();
});

/** The calls made so far: requests, and those for a summary. */
function calls(): string {
  const kinds = model.calls.map(({ body }) =>
    JSON.stringify(body).includes(SUMMARY_INSTRUCTION) ? "summary" : "request",
  );
  return kinds.join(" ");
}

/** Says something, lets a minute pass for what then becomes due, and replies to the request that follows. */
async function turn(answer: ModelReply | Error): Promise<void> {
  const before = model.calls.length;
  await harness.say("question");
  await eventLoopTurns();
  harness.scheduler.advance(250);
  (await model.called(before + 1)).reply(answer);
  await eventLoopTurns();
}

/** Replies to the newest call. */
async function answer(what: ModelReply | Error): Promise<void> {
  model.calls.at(-1)?.reply(what);
  await eventLoopTurns();
}

async function wait(milliseconds: number): Promise<void> {
  harness.scheduler.advance(milliseconds);
  await eventLoopTurns();
}

async function summaries(): Promise<CommittedEvent[]> {
  return (await harness.events()).filter(isSummary);
}

async function inside(type: string, payload: object): Promise<void> {
  await harness.journal.as({ processor: "test", trust: "inside" }).append(stream, [{ type, payload }]);
  await eventLoopTurns();
}

function problems(): string[] {
  return harness.problems.map((problem) => (problem as Error).message);
}

describe("an agent whose request does not fit", () => {
  it("is compacted though what was measured is below the threshold, and then goes on with the same turn", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(replyOf("one", 490));
    await turn(tooLong);
    expect(calls()).toBe("request request summary");
    await answer(replyOf("so far", 500));
    await wait(10_250);
    expect(calls()).toBe("request request summary request");
    const next = JSON.stringify(model.calls.at(-1)?.body);
    expect(next).toContain("so far");
    expect(next).not.toContain(SUMMARY_INSTRUCTION);
    await answer(replyOf("fits", 100));
    expect((await harness.events()).filter(settled)).toHaveLength(3);
  });

  it("is compacted though a summary of that request has failed already", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(replyOf("one", 950));
    await answer(new Error("overloaded"));
    await turn(tooLong);
    expect(calls()).toBe("request summary request summary");
    await answer(replyOf("so far", 900));
    expect(await summaries()).toHaveLength(1);
  });

  it("is compacted when nothing but its length tells", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(replyOf("one", 450));
    await harness.say("x".repeat(5_000));
    await wait(250);
    await answer(new Error("HTTP 400: no"));
    expect(calls()).toBe("request request summary");
  });

  it("is compacted when requests keep failing and nobody says why", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(replyOf("one", 100));
    await turn(new Error("HTTP 500"));
    await wait(10_250);
    await answer(new Error("HTTP 500"));
    await wait(20_250);
    expect(calls()).toBe("request request request request");
    await answer(new Error("HTTP 500"));
    expect(calls()).toBe("request request request request summary");
  });

  it.each([
    ["for once", new Error("HTTP 503: overloaded")],
    ["because of its time", undefined],
  ])("only %s is not compacted", async (_, failure) => {
    harness.start(model);
    await harness.create({
      compaction,
      llmRequestExpiryMs: 60_000,
      llmRequestRetryPolicy: { maxAttempts: 1 },
    });
    await turn(replyOf("one", 100));
    for (let attempt = 0; attempt < (failure === undefined ? 4 : 1); attempt++) {
      await harness.say("question");
      await wait(250);
      if (failure === undefined) await wait(60_000);
      else await answer(failure);
    }
    expect(calls()).not.toContain("summary");
  });

  it("is compacted by the next process, before the next turn", async () => {
    const stop = harness.start(model);
    await harness.create({ compaction, llmRequestRetryPolicy: { maxAttempts: 1 } });
    await turn(replyOf("one", 490));
    await harness.say("two");
    await wait(250);
    const lost = model;
    await stop();
    const event = (await harness.events()).findLast(requested);
    await inside("agent/llm-request-settled", {
      requestOffset: event?.offset,
      result: { status: "failed", reason: tooLong.message },
    });
    model = new ControlledModel();
    harness.start(model);
    await eventLoopTurns();
    expect(model.calls).toEqual([]);
    await harness.say("hello?");
    await eventLoopTurns();
    expect(lost.calls).toHaveLength(2);
    expect(calls()).toBe("summary");
  });

  it("after a compaction is told of once, since nothing is left to summarise", async () => {
    harness.start(model);
    await harness.create({ compaction, llmRequestRetryPolicy: { maxAttempts: 1 } });
    await turn(replyOf("one", 600));
    await answer(replyOf("so far", 600));
    await turn(tooLong);
    await turn(tooLong);
    expect(calls()).toBe("request summary request request");
    expect(problems()).toEqual([expect.stringContaining("is too long for the model")]);
  });

  it("keeps its history where a summary is no shorter than what it would replace", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(replyOf("one", 600));
    await answer(replyOf("blah ".repeat(4_000), 5_000));
    expect(await summaries()).toEqual([]);
    expect(problems()).toEqual([expect.stringContaining("no shorter than what it would replace")]);
    expect(harness.problems).toEqual([
      expect.objectContaining({ usage: { inputTokens: 4_990, outputTokens: 10 } }),
    ]);
  });
});

describe("a summary that gains nothing", () => {
  it("is made again only when the request has grown, and told of once", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(replyOf("one", 960));
    await answer(replyOf("so far", 960));
    for (const tokens of [960, 970, 1_190]) await turn(replyOf("next", tokens));
    expect(calls()).toBe("request summary request request request");
    await turn(replyOf("more", 1_200));
    expect(calls()).toBe("request summary request request request request summary");
    await answer(replyOf("so far", 960));
    await turn(replyOf("again", 960));
    expect(problems()).toEqual([expect.stringContaining("a summary left a request of 960 tokens")]);
  });

  it("is made again only after growth also where it leaves a little less", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(replyOf("one", 960));
    await answer(replyOf("so far", 960));
    await turn(replyOf("two", 890));
    await turn(replyOf("three", 978));
    expect(calls()).toBe("request summary request request");
    await turn(replyOf("four", 980));
    expect(calls()).toBe("request summary request request request summary");
  });

  it("because it always fails is asked for ever more rarely", async () => {
    harness.start(model);
    await harness.create({ compaction, parameters: { maxOutputTokens: 60 } });
    for (let count = 0; count < 70; count++) {
      await turn(replyOf("next", 600));
      if (calls().endsWith("summary")) await answer({ ...replyOf("so f", 600), finishReason: "length" });
    }
    expect(calls().match(/summary/g)).toHaveLength(7);
    expect(problems()[0]).toContain("parameters.maxOutputTokens, 60");
  });

  it("waits no longer than usual after history was rewritten", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(replyOf("one", 600));
    await answer(replyOf("so far", 600));
    await turn(replyOf("two", 720));
    await inside("agents/context-rewritten", { op: "delete", key: "*" });
    await turn(replyOf("three", 100));
    await turn(replyOf("four", 520));
    expect(calls()).toBe("request summary request request request summary");
  });
});

describe("a message that waits", () => {
  it("keeps its half of a request's time, counted from when it came", async () => {
    harness.start(model);
    await harness.create({ compaction, llmRequestExpiryMs: 60_000 });
    await harness.say("one");
    await wait(250);
    await harness.say("two");
    await wait(10_000);
    await answer(replyOf("answer one", 600));
    expect(calls()).toBe("request summary");
    await wait(19_000);
    expect(model.calls.at(-1)?.signal.aborted).toBe(false);
    await wait(1_000);
    expect(calls()).toBe("request summary request");
  });

  it.each([
    ["behind a request", false],
    ["for a process", true],
  ])("has its turn at once after it waited long enough %s", async (_, restarts) => {
    const stop = harness.start(model);
    await harness.create({ compaction, llmRequestExpiryMs: 60_000 });
    await harness.say("one");
    await wait(250);
    if (!restarts) await harness.say("two");
    await wait(20_000);
    await answer(replyOf("answer one", restarts ? 499 : 600));
    if (restarts) {
      await stop();
      await inside("agent/configured", { config: { compaction: { contextWindow: 500 } } });
      await harness.say("two");
      harness.scheduler.advance(20_000);
      harness.start(model);
      await eventLoopTurns();
    }
    expect(calls()).toBe("request request");
  });

  it.each(["before the reply", "with the reply", "right after it", "before the process started"])(
    "has its turn at once when it interrupts %s",
    async (when) => {
      const stop = harness.start(model);
      await harness.create({ compaction });
      await harness.say("one");
      await wait(250);
      if (when === "before the process started") {
        await answer(replyOf("answer one", 499));
        await stop();
        await inside("agent/configured", { config: { compaction: { contextWindow: 500 } } });
        await harness.say("now", urgently);
        harness.start(model);
      } else {
        model.calls[0]?.reply(replyOf("answer one", 600));
        const ticks = { "before the reply": 0, "with the reply": 4, "right after it": 12 }[when] ?? 0;
        for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
        await harness.say("now", urgently);
      }
      await eventLoopTurns();
      await wait(250);
      expect(calls()).toBe("request request");
    },
  );

  it("has its turn at once when it interrupts while the lease is renewed for a summary", async () => {
    let isNext = false;
    const { journal } = harness;
    const slow: Journal = {
      ...journal,
      lease: async (...args) => {
        const lease = await journal.lease(...args);
        if (lease === undefined) return undefined;
        return {
          ...lease,
          fence: lease.fence,
          release: () => lease.release(),
          renew: async () => {
            if (isNext) {
              isNext = false;
              await harness.say("now", urgently);
              await eventLoopTurns();
            }
            return lease.renew();
          },
        };
      },
    };
    harness.start(model, undefined, slow);
    await harness.create({ compaction });
    await harness.say("one");
    await wait(250);
    isNext = true;
    await answer(replyOf("answer one", 600));
    await eventLoopTurns();
    await wait(250);
    expect(isNext).toBe(false);
    expect(calls()).toBe("request request");
  });

  it("does not wait for a summary of what was deleted meanwhile, and nobody is troubled with that", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(replyOf("one", 600));
    await inside("agents/context-rewritten", { op: "delete", key: "*" });
    expect(model.calls.at(-1)?.signal.aborted).toBe(true);
    await harness.say("fresh start");
    await wait(250);
    expect(calls()).toBe("request summary request");
    expect(harness.problems).toEqual([]);
  });
});

describe("a change of configuration", () => {
  it.each([
    ["off", null],
    ["rarer", { contextWindow: 10_000 }],
  ])("that makes compaction %s ends the call for a summary", async (_, change) => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(replyOf("one", 600));
    await inside("agent/configured", { config: { compaction: change } });
    expect(model.calls.at(-1)?.signal.aborted).toBe(true);
    await answer(replyOf("so far", 600));
    expect(await summaries()).toEqual([]);
    expect(harness.problems).toEqual([]);
  });

  it("that lowers the window brings a summary with the next turn, not out of the blue", async () => {
    harness.start(model);
    await harness.create({ compaction });
    await turn(replyOf("one", 400));
    await inside("agent/configured", { config: { compaction: { contextWindow: 500 } } });
    await wait(86_400_000);
    expect(calls()).toBe("request");
    await harness.say("two");
    await eventLoopTurns();
    expect(calls()).toBe("request summary");
  });
});
