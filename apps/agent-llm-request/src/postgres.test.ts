import { type CommittedEvent, type Journal, openJournal } from "@promptfold/journal";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startPostgres } from "@promptfold/postgres-server";
import { birthEvents, runAgents, scriptedModel } from "./index.ts";

let server: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  server = await startPostgres({ fsync: false });
}, 120_000);
afterAll(() => server.stop());

const agents = Array.from({ length: 5 }, (_, index) => `/agents/postgres/${String(index)}`);
const model = scriptedModel((body) => {
  const { messages } = body as { messages: { role: string; content: string }[] };
  return { text: `You said: ${messages.findLast(({ role }) => role === "user")?.content ?? ""}` };
});

/** A runtime with a journal of its own, as another process would have. */
async function startRuntime(): Promise<{ journal: Journal; stop(): Promise<void> }> {
  const journal = await openJournal(server.url);
  const abort = new AbortController();
  const runScript = () => Promise.reject(new Error("no reply has a script"));
  const running = runAgents({ journal, model, runScript, signal: abort.signal });
  return {
    journal,
    async stop() {
      abort.abort();
      await running;
      await journal.close();
    },
  };
}

async function answers(journal: Journal, stream: string, count: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const { type, payload } of journal.subscribe({ stream })) {
    const { role, content } = payload as { role?: string; content?: string };
    if (type === "agents/context-added" && role === "assistant") texts.push(content ?? "");
    if (texts.length === count) return texts;
  }
  return texts;
}

it("two runtimes on one database answer each agent once, and the one that stays goes on alone", async () => {
  const [first, second] = [await startRuntime(), await startRuntime()];
  const { journal } = second;
  const inside = journal.as({ processor: "test", trust: "inside" });
  const outside = journal.as({ processor: "test", trust: "outside" });
  const say = async (stream: string, content: string): Promise<void> => {
    await outside.append(stream, [{ type: "agents/context-added", payload: { role: "user", content } }]);
  };
  for (const stream of agents) {
    const sections = [{ key: "identity", content: "You repeat." }];
    await inside.append(stream, birthEvents({ promptName: "test", sections, config: {} }));
    const config = { llmRequestDebounceMs: 0 };
    await inside.append(stream, [{ type: "agent/configured", payload: { config } }]);
    await say(stream, `one from ${stream}`);
  }
  for (const stream of agents) {
    expect(await answers(journal, stream, 1)).toEqual([`You said: one from ${stream}`]);
  }
  await first.stop();
  await Promise.all(agents.map((stream) => say(stream, `two from ${stream}`)));
  for (const stream of agents) {
    expect(await answers(journal, stream, 2)).toEqual([
      `You said: one from ${stream}`,
      `You said: two from ${stream}`,
    ]);
    await settledTwice(journal, stream);
  }
  const settled: CommittedEvent[] = [];
  for (const stream of agents) {
    for await (const page of journal.read(stream, { types: ["agent/llm-request-settled"] }))
      settled.push(...page);
  }
  expect(settled).toHaveLength(agents.length * 2);
  expect((await journal.verify()).problems).toEqual([]);
  await second.stop();
});

/** Waits until both requests of an agent are settled. */
async function settledTwice(journal: Journal, stream: string): Promise<void> {
  let settled = 0;
  for await (const { type } of journal.subscribe({ stream })) {
    if (type === "agent/llm-request-settled") settled += 1;
    if (settled === 2) return;
  }
}
