import { type Journal, JournalStorageError, type Lease, LeaseLostError } from "@promptfold/journal";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentHarness, ControlledModel, eventLoopTurns, ofType, stream } from "../test/agent-harness.ts";
import {
  DEFAULT_AGENTS_PREFIX,
  followAgents,
  type ModelReply,
  scriptedModel,
  type ScriptRunner,
  TurnLoop,
} from "./index.ts";

const requested = ofType("agent/llm-request-requested");
const settled = ofType("agent/llm-request-settled");

let harness: AgentHarness;
beforeEach(async () => {
  harness = await AgentHarness.open();
});
afterEach(async () => {
  await harness.close();
});

/** The harness's journal with some of its leases' methods replaced. */
function withLeases(change: (lease: Lease) => Partial<Lease>): Journal {
  const { journal } = harness;
  return {
    ...journal,
    lease: async (target, options) => {
      const lease = await journal.lease(target, options);
      return lease === undefined ? undefined : { ...lease, ...boundTo(lease), ...change(lease) };
    },
  };
}

function boundTo(lease: Lease): Pick<Lease, "renew" | "release"> {
  return { renew: () => lease.renew(), release: () => lease.release() };
}

describe("keys claimed from outside", () => {
  it.each(["request/6", "settle/8", "settle/8:item", "interpret/9", "pause/6"])(
    "%s stops nothing",
    async (idempotencyKey) => {
      harness.start(scriptedModel(() => ({ text: "hello" })));
      await harness.create();
      const outside = harness.journal.as({ processor: "web", trust: "outside" });
      await outside.append(stream, [
        {
          type: "agents/context-added",
          payload: { role: "user", content: "hi", llmRequestPolicy: { behaviour: "dont-trigger-request" } },
          idempotencyKey,
        },
      ]);
      await harness.say("hello");
      harness.scheduler.advance(250);
      expect((await harness.seen(settled)).payload).toMatchObject({ result: { status: "succeeded" } });
    },
  );
});

describe("a lease", () => {
  it("that could not be renewed once, because the store was busy, is still held", async () => {
    let renewals = 0;
    const journal = withLeases((lease) => ({
      renew: () => {
        if (renewals++ === 1)
          return Promise.reject(new JournalStorageError("busy", "another writer is slow"));
        return lease.renew();
      },
    }));
    const model = new ControlledModel();
    harness.start(model, undefined, journal);
    await harness.create();
    await harness.say("hello");
    harness.scheduler.advance(250);
    const call = await model.called(1);
    // After each step the renewal gets the time to fail or to succeed.
    harness.scheduler.advance(4_000);
    await eventLoopTurns();
    expect(call.signal.aborted).toBe(false);
    harness.scheduler.advance(4_000);
    await eventLoopTurns();
    expect(renewals).toBe(3);
    expect(call.signal.aborted).toBe(false);
    call.reply({ text: "done" });
    expect((await harness.seen(settled)).payload).toMatchObject({ result: { status: "succeeded" } });
  });

  it("that was lost during a call is taken again, and the same request runs again", async () => {
    let losses = 0;
    const journal = withLeases((lease) => ({
      renew: async () => {
        if (losses++ === 1) throw new LeaseLostError(lease);
        await lease.renew();
      },
    }));
    const model = new ControlledModel();
    harness.start(model, undefined, journal);
    await harness.create();
    await harness.say("hello");
    harness.scheduler.advance(250);
    const lost = await model.called(1);
    const aborted = new Promise((resolve) => {
      lost.signal.addEventListener("abort", resolve);
    });
    harness.scheduler.advance(4_000);
    await aborted;
    // Past the wait before another try, and past what is left of the lease that nobody renews.
    await eventLoopTurns();
    harness.scheduler.advance(12_000);
    (await model.called(2)).reply({ text: "done" });
    expect((await harness.seen(settled)).payload).toMatchObject({ result: { status: "succeeded" } });
    expect((await harness.events()).filter(requested)).toHaveLength(1);
  });

  it("that is lost right before a script starts keeps the script from running", async () => {
    const journal = withLeases((lease) =>
      lease.processor === "agent-llm-request/scripts"
        ? { renew: () => Promise.reject(new LeaseLostError(lease)) }
        : {},
    );
    let runs = 0;
    const runScript: ScriptRunner = () => {
      runs++;
      return Promise.reject(new Error("it must not run"));
    };
    harness.start(
      scriptedModel(() => ({ text: "```ts\nasync (host) => 1\n```" })),
      runScript,
      journal,
    );
    await harness.create({ maxAutonomousTurns: 0 });
    await harness.say("go");
    harness.scheduler.advance(250);
    await harness.seen(ofType("capability-host/script-run-requested"));
    for (let tries = 0; tries < 20; tries++) {
      harness.scheduler.advance(1_000);
      await eventLoopTurns();
    }
    expect(runs).toBe(0);
  });
});

describe("an adapter", () => {
  const odd: [string, () => Promise<ModelReply>][] = [
    ["gives nothing back", () => Promise.resolve(undefined as unknown as ModelReply)],
    ["gives back no text", () => Promise.resolve({} as ModelReply)],
    ["gives back more than an event holds", () => Promise.resolve({ text: "x".repeat(17_000_000) })],
    [
      "throws what cannot be shown",
      () =>
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- adapters may throw anything
        Promise.reject({
          toString: () => {
            throw new Error("no words");
          },
        }),
    ],
  ];

  it.each(odd)("that %s fails its request, and no other agent's", async (_, call) => {
    let calls = 0;
    const model = {
      name: "odd",
      call: () => (calls++ === 0 ? call() : Promise.resolve({ text: "fine" })),
    };
    harness.start(model);
    await harness.create({ llmRequestRetryPolicy: { maxAttempts: 1 } });
    await harness.say("hello");
    harness.scheduler.advance(250);
    expect((await harness.seen(settled)).payload).toMatchObject({ result: { status: "failed" } });
    await harness.say("again");
    harness.scheduler.advance(250);
    expect((await harness.seen(settled, 2)).payload).toMatchObject({ result: { status: "succeeded" } });
  });

  it("whose usage cannot be read still has its reply recorded", async () => {
    const usage = { inputTokens: Number.NaN, outputTokens: 1 };
    harness.start(scriptedModel(() => ({ text: "fine", usage })));
    await harness.create();
    await harness.say("hello");
    harness.scheduler.advance(250);
    expect((await harness.seen(settled)).payload).toMatchObject({ result: { status: "succeeded" } });
    expect((await harness.events()).filter(ofType("agent/token-usage-reported"))).toEqual([]);
  });
});

describe("a script's runner that fails", () => {
  it("is told to the model as a script that may have run", async () => {
    harness.start(
      scriptedModel(() => ({ text: "```ts\nasync (host) => 1\n```" })),
      () => Promise.reject(new Error("no sandbox here")),
    );
    await harness.create({ maxAutonomousTurns: 0 });
    await harness.say("go");
    harness.scheduler.advance(250);
    const { payload } = await harness.seen(ofType("capability-host/script-run-settled"));
    expect(payload).toMatchObject({
      settlement: { status: "unknown", error: expect.stringContaining("no sandbox here") as string },
    });
  });
});

describe("the cursor", () => {
  it("stays before an open request, whatever another agent did while it was giving up its lease", async () => {
    let releaseFirst: () => void = () => undefined;
    let isFirst = true;
    const journal = withLeases((lease) => ({
      release: async () => {
        if (isFirst) {
          isFirst = false;
          await new Promise<void>((resolve) => {
            releaseFirst = resolve;
          });
        }
        await lease.release();
      },
    }));
    const model = new ControlledModel();
    const { scheduler } = harness;
    const stop = new AbortController();
    const createHandler = () => new TurnLoop({ model, scheduler });
    const prefix = DEFAULT_AGENTS_PREFIX;
    const ended = followAgents({
      journal,
      processor: "test",
      prefix,
      createHandler,
      scheduler,
      signal: stop.signal,
    });
    const other = "/agents/test/two";
    const inside = journal.as({ processor: "test", trust: "inside" });
    const born = { type: "agent/created", payload: {} };
    const say = { type: "agents/context-added", payload: { role: "user", content: "hi" } };
    await inside.append(stream, [born, say]);
    scheduler.advance(250);
    (await model.called(1)).reply({ text: "one" });
    await harness.seen(settled);
    const [late] = await inside.append(stream, [say]);
    await inside.append(other, [born, say]);
    scheduler.advance(250);
    await model.called(2); // the other agent's request stays open
    releaseFirst();
    scheduler.advance(250);
    const third = await model.called(3);
    third.reply({ text: "three" });
    await harness.seen(settled, 2);
    stop.abort();
    await ended;
    const position = late?.position ?? 0;
    expect(await journal.checkpoints.load("test", { prefix })).toBeLessThanOrEqual(position + 1);
  });
});

describe("a clock that is an hour ahead where a message was stamped", () => {
  it("does not make the agent wait for that hour", async () => {
    const model = new ControlledModel();
    harness.start(model);
    const createdAt = new Date(harness.scheduler.now() + 3_600_000).toISOString();
    await harness.journal.restore(
      stream,
      [
        { offset: 1, type: "agent/created", payloadText: "{}", createdAt },
        {
          offset: 2,
          type: "agents/context-added",
          payloadText: JSON.stringify({ role: "user", content: "hi" }),
          createdAt,
        },
      ],
      { after: 0 },
    );
    await eventLoopTurns();
    harness.scheduler.advance(251);
    (await model.called(1)).reply({ text: "hello" });
    expect((await harness.seen(settled)).payload).toMatchObject({ result: { status: "succeeded" } });
  });
});

describe("a settled log without keys", () => {
  it("starts nothing again: neither its scripts nor its model calls", async () => {
    const events = [
      ["agent/created", {}],
      ["agents/context-added", { role: "user", content: "go" }],
      ["agent/llm-request-requested", { model: "m" }],
      [
        "agents/context-added",
        { role: "assistant", content: "```ts\nasync () => 1\n```", llmRequestOffset: 3 },
      ],
      ["agent/llm-request-settled", { requestOffset: 3, result: { status: "succeeded" } }],
      ["capability-host/script-run-requested", { executionId: "agent-output:4", code: "async () => 1" }],
      [
        "capability-host/script-run-settled",
        { executionId: "agent-output:4", settlement: { status: "succeeded", result: 1 } },
      ],
      [
        "agents/context-added",
        {
          role: "developer",
          content: "Your script returned (in 1s):",
          actor: { type: "script", executionId: "agent-output:4" },
        },
      ],
      ["agent/llm-request-requested", { model: "m" }],
      ["agents/context-added", { role: "assistant", content: "Done.", llmRequestOffset: 9 }],
      ["agent/llm-request-settled", { requestOffset: 9, result: { status: "succeeded" } }],
    ].map(([type, payload], index) => ({
      offset: index + 1,
      type: type as string,
      payloadText: JSON.stringify(payload),
      createdAt: new Date(harness.scheduler.now() + index).toISOString(),
    }));
    await harness.journal.restore(stream, events, { after: 0 });
    const model = new ControlledModel();
    harness.start(model);
    await harness.say("more");
    harness.scheduler.advance(1_000);
    (await model.called(1)).reply({ text: "more it is" });
    await harness.seen(settled, 3);
    expect(model.calls).toHaveLength(1);
    expect(await harness.journal.head(stream)).toBe(events.length + 4);
  });
});

describe("an error that concerns one agent", () => {
  it("is told of as one after which its work is tried again", async () => {
    const { journal } = harness;
    let isBroken = true;
    const breaking: Journal = {
      ...journal,
      as: (source) => {
        const handle = journal.as(source);
        return {
          ...handle,
          append: (...call) => {
            if (!isBroken) return handle.append(...call);
            isBroken = false;
            return Promise.reject(new Error("out of order"));
          },
        };
      },
    };
    harness.start(
      scriptedModel(() => ({ text: "hello" })),
      undefined,
      breaking,
    );
    await harness.create();
    await harness.say("hello");
    harness.scheduler.advance(250);
    while (harness.problems.length === 0) await eventLoopTurns();
    expect(harness.problems).toEqual([new Error("out of order")]);
    expect(harness.retried).toEqual([true]);
    harness.scheduler.advance(60_000);
    expect((await harness.seen(settled)).payload).toMatchObject({ result: { status: "succeeded" } });
  });
});
