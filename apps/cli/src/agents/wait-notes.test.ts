import { birthEvents } from "@promptfold/agent-llm-request";
import { CONTEXT_ADDED, LLM_REQUEST_REQUESTED, LLM_REQUEST_SETTLED } from "@promptfold/contract";
import { type Journal, openJournal } from "@promptfold/journal";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WaitNotes } from "./wait-notes.ts";

const stream = "/agents/a";
const message = { type: CONTEXT_ADDED, payload: { role: "user", content: "hi", actor: { type: "user" } } };

async function born(config: Record<string, unknown> = {}): Promise<Journal> {
  const journal = await openJournal("memory:");
  onTestFinished(() => journal.close());
  const sections = [{ key: "identity", content: "You are an agent." }];
  await append(journal, birthEvents({ promptName: "p", sections }));
  if (Object.keys(config).length > 0)
    await append(journal, [{ type: "agent/configured", payload: { config } }]);
  return journal;
}

const append = (
  journal: Journal,
  events: Parameters<ReturnType<Journal["as"]>["append"]>[1],
): Promise<unknown> => journal.as({ processor: "test", trust: "inside" }).append(stream, events);

/** What is said of a journal's events, all seen at once, when nothing happens afterwards. */
async function notes(journal: Journal): Promise<string[]> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const said: string[] = [];
  const end = new AbortController();
  const waits = new WaitNotes({ journal, signal: end.signal, say: (text) => said.push(text) });
  for await (const page of journal.read(stream))
    for (const event of page) waits.observe({ ...event, stream });
  await vi.advanceTimersByTimeAsync(10_000);
  // What the look at the journal takes.
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  end.abort();
  return said;
}

describe("WaitNotes", () => {
  it("tells of a newborn agent that waits for a worker, and until when", async () => {
    const journal = await born();
    await append(journal, [message]);
    expect(await notes(journal)).toEqual([
      expect.stringMatching(
        /^note: \/agents\/a: the newborn agent's first request waits for a worker to adjust its prompt \(promptfold worker\), until \d\d:\d\d:\d\d \(\d\d s\)$/,
      ),
    ]);
  });

  it("tells of the pause after a failure", async () => {
    const journal = await born({
      llmRequestDebounceMs: 0,
      llmRequestRetryPolicy: { maxAttempts: 3, backoffBaseMs: 30_000, backoffMaxMs: 60_000 },
    });
    await append(journal, [message]);
    const [requested] = (await append(journal, [
      { type: LLM_REQUEST_REQUESTED, payload: { model: "m" } },
    ])) as [{ offset: number }];
    await append(journal, [
      {
        type: LLM_REQUEST_SETTLED,
        payload: { requestOffset: requested.offset, result: { status: "failed", error: { message: "x" } } },
      },
    ]);
    expect(await notes(journal)).toEqual([
      expect.stringMatching(
        /^note: \/agents\/a: after a failure the next request waits until \S+ \(\d+ s\)$/,
      ),
    ]);
  });

  it("says nothing of an agent that goes on, was given nothing, or does not wait", async () => {
    const gone = await born({ llmRequestDebounceMs: 0 });
    await append(gone, [message, { type: LLM_REQUEST_REQUESTED, payload: { model: "m" } }]);
    const quick = await born({ llmRequestDebounceMs: 0 });
    await append(quick, [message]);
    for (const journal of [gone, quick, await born()]) expect(await notes(journal)).toEqual([]);
  });
});
