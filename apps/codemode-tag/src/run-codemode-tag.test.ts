import { birthEvents, runAgents, sandboxRunner, scriptedModel } from "@promptfold/agent-llm-request";
import { foldEvents } from "@promptfold/fold";
import { type CommittedEvent, type Journal, openJournal } from "@promptfold/journal";
import { parseSections } from "@promptfold/parser";
import { rulesInForce } from "@promptfold/replay";
import { createSandbox, type Sandbox } from "@promptfold/sandbox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCodemodeTag } from "./index.ts";

const stream = "/agents/test/tag";
const prompt = [
  { key: "identity", content: "You test." },
  { key: "output-formatting", content: "Use a ts fence." },
  { key: "gotchas", content: "None." },
];
const replyFormat = parseSections('<section key="output-formatting">\nUse codemode tags.\n</section>', {
  fallbackKey: "unused",
});

let journal: Journal;
let sandbox: Sandbox;
let stop: AbortController;
let running: Promise<void>[];
beforeEach(async () => {
  journal = await openJournal("memory:");
  sandbox = createSandbox();
  stop = new AbortController();
  running = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await sandbox.close();
  await journal.close();
});

function startWorker(): void {
  const host = {
    repo: { pulls: () => Promise.resolve([{ title: "Fix the fold" }, { title: "Mind the gap" }]) },
  };
  const runScript = sandboxRunner(sandbox, () => host);
  running.push(runCodemodeTag({ journal, replyFormat, runScript, signal: stop.signal }));
}

function startRuntime(replies: readonly string[]): void {
  let next = 0;
  const model = scriptedModel(() => ({ text: replies[next++] ?? "" }));
  const runScript = () => Promise.reject(new Error("these replies are not the runtime's to interpret"));
  running.push(runAgents({ journal, model, runScript, signal: stop.signal }));
}

async function create(config: Record<string, unknown> = {}): Promise<void> {
  const inside = journal.as({ processor: "test", trust: "inside" });
  await inside.append(stream, birthEvents({ promptName: "test", sections: prompt, config }));
}

async function say(content: string): Promise<void> {
  const outside = journal.as({ processor: "test", trust: "outside" });
  await outside.append(stream, [{ type: "agents/context-added", payload: { role: "user", content } }]);
}

async function seen(fits: (event: CommittedEvent) => boolean): Promise<CommittedEvent> {
  for await (const event of journal.subscribe({ stream })) if (fits(event)) return event;
  throw new Error("the journal closed before the event came");
}

async function events(): Promise<CommittedEvent[]> {
  const all: CommittedEvent[] = [];
  for await (const page of journal.read(stream)) all.push(...page);
  return all;
}

const content = (event: CommittedEvent) => (event.payload as { content?: string }).content;

describe("the codemode-tag worker", () => {
  it("swaps one section of a newborn agent, in place, and lowers the debounce last", async () => {
    startWorker();
    await create();
    const configured = await seen(({ idempotencyKey }) => idempotencyKey === "codemode-tag/adopted");
    expect(configured.payload).toEqual({ config: { interpretResponses: false, llmRequestDebounceMs: null } });
    const swapped = (await events()).slice(5);
    expect(swapped.map(({ type, source }) => [type, source?.processor])).toEqual([
      ["agents/context-added", "codemode-tag"],
      ["agent/configured", "codemode-tag"],
    ]);
    expect(rulesInForce(foldEvents(await events()).state)).toMatchObject([
      { key: "identity", content: "You test.", since: 3 },
      { key: "output-formatting", content: "Use codemode tags.", since: 6, replaced: undefined },
      { key: "gotchas", content: "None.", since: 5 },
    ]);
  });

  it("interprets a reply, runs its script in the sandbox and reports the result with its duration", async () => {
    startWorker();
    startRuntime([
      'Counting.\n\n<codemode status="Counting pulls">\nreturn (await host.repo.pulls()).length\n</codemode>',
      "There are two.",
    ]);
    await create();
    await say("How many pull requests?");
    await seen((event) => content(event) === "There are two.");
    const told = (await events()).map(content).find((text) => text?.startsWith("Your script"));
    expect(told).toMatch(/^Your script returned \(in [\d.]+m?s\):\n```json\n2\n```$/);
  });

  it("tells the model what was wrong with a reply that breaks the format", async () => {
    startWorker();
    startRuntime(["<codemode>\nreturn 1\n</codemode>\n<codemode>\nreturn 2\n</codemode>", "Sorry."]);
    await create();
    await say("go");
    await seen((event) => content(event) === "Sorry.");
    const all = await events();
    expect(all.filter(({ type }) => type.startsWith("capability-host/"))).toEqual([]);
    expect(all.map(content).join("\n")).toContain("more than one <codemode>");
  });

  it("leaves an agent alone whose birth window has closed, and one that somebody else interprets", async () => {
    startRuntime(["an answer in the default format"]);
    await create();
    const inside = journal.as({ processor: "test", trust: "inside" });
    await inside.append(stream, [
      { type: "agent/configured", payload: { config: { llmRequestDebounceMs: 0 } } },
    ]);
    await say("hello");
    await seen(({ type }) => type === "agent/llm-request-settled");
    const other = "/agents/test/other";
    await inside.append(
      other,
      birthEvents({ promptName: "test", sections: prompt, config: { interpretResponses: false } }),
    );
    startWorker();
    // The worker reads in order, so once it has adopted a third agent it has passed the other two.
    const third = "/agents/test/third";
    await inside.append(third, birthEvents({ promptName: "test", sections: prompt }));
    for await (const event of journal.subscribe({ stream: third })) {
      if (event.idempotencyKey === "codemode-tag/adopted") break;
    }
    const sources = new Set((await events()).map(({ source }) => source?.processor));
    expect(sources).not.toContain("codemode-tag");
    expect(await journal.head(other)).toBe(5);
  });

  it("adopts an agent that was born before it started, once, whatever number of workers runs", async () => {
    await create();
    startWorker();
    startWorker();
    await seen(({ idempotencyKey }) => idempotencyKey === "codemode-tag/adopted");
    startRuntime(["<codemode>\nreturn 1\n</codemode>", "done"]);
    await say("go");
    await seen((event) => content(event) === "done");
    const keys = (await events()).flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
    expect(new Set(keys).size).toBe(keys.length);
    expect((await events()).filter(({ type }) => type === "capability-host/script-run-settled")).toHaveLength(
      1,
    );
  });
});
