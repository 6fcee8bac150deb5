import { CONTRACT_VERSION } from "@promptfold/contract";
import type { Journal } from "@promptfold/journal";
import { replayCompaction, replayRequest } from "@promptfold/replay";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentHarness, ControlledModel, isSummary, ofType, stream } from "../../test/agent-harness.ts";
import { data, startModelServer, text } from "../../test/model-server.ts";
import { type CacheReport, openAiChatModel, scriptedModel } from "../index.ts";

const requested = ofType("agent/llm-request-requested");
const settled = ofType("agent/llm-request-settled");

let harness: AgentHarness;
beforeEach(async () => {
  harness = await AgentHarness.open();
});
afterEach(async () => {
  await harness.close();
});

/** A server that answers every request with so many tokens, and a way to call it. */
async function startProvider(tokens = 10) {
  const usage = {
    prompt_tokens: tokens,
    completion_tokens: 1,
    prompt_tokens_details: { cached_tokens: 0 },
  };
  const end = data({ choices: [{ delta: {}, finish_reason: "stop" }], usage });
  const { requests, baseUrl } = await startModelServer({ chunks: [text("Well."), end, "data: [DONE]\n\n"] });
  const calling = (defaultModel?: string) => openAiChatModel({ apiKey: "sk-test", baseUrl, defaultModel });
  return { bodies: () => requests.map(({ body }) => body), calling };
}

/** Says something, and waits until the nth request has ended. */
async function turn(count: number): Promise<void> {
  await harness.say(`What do you say to this, for the time number ${count}?`);
  harness.scheduler.advance(250);
  await harness.seen(settled, count);
}

async function requestOffsets(): Promise<number[]> {
  return (await harness.events()).filter(requested).map(({ offset }) => offset);
}

async function recordedModels(): Promise<unknown[]> {
  return (await harness.events())
    .filter(requested)
    .map(({ payload }) => (payload as { model: string }).model);
}

/** What replay shows of every request, as text. */
async function replayed(): Promise<string[]> {
  const events = await harness.events();
  return Promise.all(
    (await requestOffsets()).map(async (offset) =>
      JSON.stringify((await replayRequest(events, offset, { stream })).body),
    ),
  );
}

/** A body's text with what asks for a stream as its last two fields. */
function streaming(body: string): string {
  return `${body.slice(0, -1)},"stream":true,"stream_options":{"include_usage":true}}`;
}

describe("an agent that names no model", () => {
  it("is sent the bytes that replay shows, whichever model each process calls", async () => {
    const { bodies, calling } = await startProvider();
    await harness.create();
    const stop = harness.start(calling());
    await turn(1);
    await stop();
    harness.start(calling("gpt-5-mini"));
    await turn(2);
    expect(await recordedModels()).toEqual(["gpt-5", "gpt-5-mini"]);
    expect(bodies()).toEqual((await replayed()).map(streaming));
    expect(bodies()).toHaveLength(2);
  });

  it("has its history summarised by a call that replay shows, too", async () => {
    const { bodies, calling } = await startProvider(600);
    await harness.create({ compaction: { contextWindow: 1_000 } });
    harness.start(calling("gpt-5-mini"));
    await turn(1);
    const summary = await harness.seen(isSummary);
    expect(summary.payload).toMatchObject({ compaction: { model: "gpt-5-mini" } });
    const call = await replayCompaction(await harness.events(), summary.offset, { stream });
    expect(bodies()).toEqual([...(await replayed()), JSON.stringify(call.body)].map(streaming));
  });

  it("gets the breakpoints that the model needs which is called", async () => {
    const { bodies, calling } = await startProvider();
    await harness.create({ mapping: "openai-chat@2" });
    harness.start(calling("gpt-5.6"));
    await turn(1);
    const [body = ""] = bodies();
    expect(JSON.parse(body)).toMatchObject({
      model: "gpt-5.6",
      prompt_cache_options: { mode: "explicit" },
      messages: expect.arrayContaining([
        {
          role: "developer",
          content: [
            expect.objectContaining({ prompt_cache_breakpoint: { mode: "explicit" } }) as unknown as object,
          ],
        },
      ]) as unknown[],
    });
    expect(bodies()).toEqual((await replayed()).map(streaming));
  });

  it("is not told of as losing its cache when another model is called", async () => {
    const { calling } = await startProvider(5_000);
    const reports: CacheReport[] = [];
    harness.onCacheReport = (report) => {
      reports.push(report);
    };
    await harness.create();
    const stop = harness.start(calling("gpt-5"));
    await turn(1);
    await turn(2);
    await stop();
    harness.start(calling("gpt-5-mini"));
    await turn(3);
    while (reports.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(reports.map(({ predictedTokens }) => predictedTokens)).toEqual([5_000, 0]);
  });

  it("records a scripted model by its name, and no model where the adapter names none", async () => {
    await harness.create();
    const stop = harness.start(scriptedModel(() => ({ text: "hello" })));
    await turn(1);
    await stop();
    const models = [new ControlledModel(), new ControlledModel("")];
    for (const [index, model] of models.entries()) {
      const stopThis = harness.start(model);
      await harness.say("again");
      harness.scheduler.advance(250);
      (await model.called(1)).reply({ text: "hello" });
      await harness.seen(settled, index + 2);
      await stopThis();
    }
    expect(await recordedModels()).toEqual(["scripted", "default", "default"]);
  });

  it("gets the model of its adapter where its request was recorded without one", async () => {
    const { bodies, calling } = await startProvider();
    await harness.create();
    await harness.say("hello");
    const inside = harness.journal.as({ processor: "test", trust: "inside" });
    const payload = { model: "default", contractVersion: CONTRACT_VERSION };
    await inside.append(stream, [{ type: "agent/llm-request-requested", payload }]);
    harness.start(calling(" "));
    await harness.seen(settled);
    const [shown = ""] = await replayed();
    expect(bodies()).toEqual([streaming(shown.replace('"model":"default"', '"model":"gpt-5"'))]);
  });
});

it("a model that the configuration names is called whatever a process calls otherwise", async () => {
  const { bodies, calling } = await startProvider();
  await harness.create({ model: "gpt-4.1" });
  harness.start(calling("gpt-5.6"));
  await turn(1);
  expect(await recordedModels()).toEqual(["gpt-4.1"]);
  expect(bodies()).toEqual((await replayed()).map(streaming));
});

describe("two processes that call different models", () => {
  /** The harness's journal, on which another process is quicker to open each request. */
  function withQuickerProcess(model: string): Journal {
    const { journal } = harness;
    return {
      ...journal,
      as: (source) => {
        const handle = journal.as(source);
        const append: typeof handle.append = async (name, events, options) => {
          const others = events.flatMap((event) =>
            event.type === "agent/llm-request-requested" && "payload" in event
              ? [{ ...event, payload: { ...(event.payload as object), model } }]
              : [],
          );
          if (others.length > 0) await handle.append(name, others);
          return handle.append(name, events, options);
        };
        return { ...handle, append };
      },
    };
  }

  it("decide once: who is late calls what the other one recorded", async () => {
    const { bodies, calling } = await startProvider();
    await harness.create();
    harness.start(calling("gpt-5"), undefined, withQuickerProcess("gpt-5-mini"));
    await turn(1);
    expect(await recordedModels()).toEqual(["gpt-5-mini"]);
    expect(bodies()).toEqual((await replayed()).map(streaming));
    expect(harness.problems).toEqual([]);
  });

  it("call one of them, once, when both run the agent", async () => {
    const { bodies, calling } = await startProvider();
    await harness.create();
    harness.start(calling("gpt-5"));
    harness.start(calling("gpt-5-mini"));
    await turn(1);
    expect(await recordedModels()).toHaveLength(1);
    expect(bodies()).toEqual((await replayed()).map(streaming));
    expect(harness.problems).toEqual([]);
  });

  it("call the model that was recorded when one takes a request over from the other", async () => {
    const { bodies, calling } = await startProvider();
    await harness.create();
    const first = new ControlledModel("gpt-5-mini");
    const stop = harness.start(first);
    await harness.say("hello");
    harness.scheduler.advance(250);
    const cut = await first.called(1);
    await stop();
    harness.start(calling("gpt-5"));
    await harness.seen(settled);
    expect(await recordedModels()).toEqual(["gpt-5-mini"]);
    expect(JSON.stringify(cut.body)).toBe((await replayed())[0]);
    expect(bodies()).toEqual((await replayed()).map(streaming));
  });
});

describe("an agent whose mapping cannot be sent here", () => {
  const paused = ofType("agent/paused");

  it.each([
    ["of another API", "gemini@1", /^no call was made: mapping gemini@1 makes no body that openai-chat at /],
    ["that this release does not ship", "acme-chat@7", /acme-chat@7/],
  ])(
    "fails once, calls nobody, and goes on once it is configured: a mapping %s",
    async (_, mapping, words) => {
      const { bodies, calling } = await startProvider();
      await harness.create({ mapping });
      harness.start(calling());
      await turn(1);
      const pause = await harness.seen(paused);
      // Longer than any wait before another try.
      harness.scheduler.advance(3_600_000);
      const [settlement] = (await harness.events()).filter(settled);
      expect(settlement?.payload).toMatchObject({
        result: { status: "failed", reason: expect.stringMatching(words) as string },
      });
      expect(pause).toMatchObject({
        offset: (settlement?.offset ?? 0) + 1,
        payload: { reason: expect.stringMatching(words) as string },
      });
      await harness.journal
        .as({ processor: "test", trust: "inside" })
        .append(stream, [{ type: "agent/configured", payload: { config: { mapping: "openai-chat@1" } } }]);
      await harness.say("Once more, please.");
      await harness.seen(ofType("agent/resumed"));
      harness.scheduler.advance(60_000);
      await harness.seen(settled, 2);
      expect(bodies()).toHaveLength(1);
      expect(await requestOffsets()).toHaveLength(2);
      expect(bodies()[0]).toContain("Once more, please.");
    },
  );

  it("is tried again where its mapping was corrected while the request was open", async () => {
    const { bodies, calling } = await startProvider();
    await harness.create({ mapping: "gemini@1" });
    await harness.say("What is open?");
    const trigger = (await harness.events()).at(-1)?.offset ?? 0;
    const inside = harness.journal.as({ processor: "agent-llm-request", trust: "inside" });
    const expiresAt = new Date(harness.scheduler.now() + 600_000).toISOString();
    const payload = { model: "gemini-3-pro", mapping: "gemini@1", protocol: "1", expiresAt };
    await inside.append(stream, [
      { type: "agent/llm-request-requested", payload, idempotencyKey: `request/${trigger}` },
      { type: "agent/configured", payload: { config: { mapping: "openai-chat@1" } } },
    ]);
    harness.start(calling());
    await harness.seen(settled);
    harness.scheduler.advance(60_000);
    await harness.seen(settled, 2);
    expect((await harness.events()).filter(paused)).toEqual([]);
    expect(bodies()).toHaveLength(1);
  });

  it("fails once for each message, and for nothing more", async () => {
    const { bodies, calling } = await startProvider();
    await harness.create({ mapping: "gemini@1" });
    harness.start(calling());
    await turn(1);
    await harness.seen(paused);
    await harness.say("And now?");
    await harness.seen(ofType("agent/resumed"));
    harness.scheduler.advance(250);
    await harness.seen(paused, 2);
    harness.scheduler.advance(3_600_000);
    expect(await requestOffsets()).toHaveLength(2);
    expect(bodies()).toHaveLength(0);
  });
});
