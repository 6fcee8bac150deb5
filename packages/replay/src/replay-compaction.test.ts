import { renderRequest } from "@promptfold/renderer";
import { describe, expect, it } from "vitest";
import { NoRecordedCallError, OffsetNotFoundError, replayCompaction, replayRequest } from "./index.ts";

const createdAt = "2026-03-02T09:00:00.000Z";
const compaction = { replacesHistoryThrough: 4, requestOffset: 4, instruction: "Summarise." };
const events = [
  { type: "agent/created", payload: {} },
  { type: "agents/context-added", payload: { role: "system", content: "You help.", key: "identity" } },
  { type: "agents/context-added", payload: { role: "user", content: "Hello." } },
  { type: "agent/llm-request-requested", payload: { model: "m" } },
  {
    type: "agents/context-added",
    payload: { role: "assistant", content: "Hello to you.", llmRequestOffset: 4 },
  },
  { type: "agent/llm-request-settled", payload: { requestOffset: 4, result: { status: "succeeded" } } },
  { type: "agents/context-added", payload: { role: "developer", content: "Greetings.", compaction } },
  { type: "agents/context-added", payload: { role: "user", content: "And now?" } },
  { type: "agent/llm-request-requested", payload: { model: "m" } },
  {
    type: "agents/context-added",
    payload: { role: "developer", content: "Made by hand.", compaction: { replacesHistoryThrough: 3 } },
  },
  {
    type: "agents/context-added",
    payload: { role: "developer", content: "No request.", compaction: { ...compaction, requestOffset: 3 } },
  },
  {
    type: "agents/context-added",
    payload: { role: "developer", content: "From outside.", compaction },
    source: { processor: "bridge", trust: "outside" as const },
  },
  {
    type: "agents/context-added",
    payload: { role: "developer", content: "By a guest.", compaction, actor: { type: "user" } },
  },
  {
    type: "agents/context-added",
    payload: {
      role: "developer",
      content: "Void.",
      compaction: { ...compaction, replacesHistoryThrough: 99 },
    },
  },
  {
    type: "agents/context-added",
    payload: { role: "developer", content: "No open request's.", compaction, llmRequestOffset: 4 },
  },
].map((event, index) => ({ ...event, offset: index + 1, createdAt }));

const readAfter = (after: number) => events.slice(after);

describe("the call of a compaction", () => {
  it.each([
    ["a list", events],
    ["a function", readAfter],
  ])("is the measured request and the instruction, from %s of events", async (_, source) => {
    const call = await replayCompaction(source, 7, { stream: "/agents/a" });
    const measured = await replayRequest(events, 4, { stream: "/agents/a" });
    expect(call).toMatchObject({ offset: 7, ...compaction });
    expect(call.messages.slice(0, -1)).toEqual(measured.messages);
    expect(call.messages.at(-1)).toMatchObject({ role: "developer", content: "Summarise." });
    const { messages, ...rest } = call.body as { messages: unknown[] };
    expect(rest).toEqual({ ...(measured.body as object), messages: undefined });
    expect(messages.slice(0, -1)).toEqual((measured.body as { messages: unknown[] }).messages);
  });

  it("leaves requests before and after it as they were", async () => {
    const before = await replayRequest(events, 4);
    expect(before.messages.map(({ content }) => content)).toContain("Hello.");
    const after = await replayRequest(events, 9);
    expect(after.messages.map(({ content }) => content)).toEqual([
      expect.anything(),
      expect.stringContaining("You help."),
      "Greetings.",
      "Hello to you.",
      "And now?",
      `Requested at: ${createdAt}`,
    ]);
    expect(renderRequest(after.state).messages).toEqual(after.messages);
  });

  it.each([6, 10, 11, 12, 13, 14, 15])("is not known of event %i", async (offset) => {
    await expect(replayCompaction(events, offset)).rejects.toThrow(NoRecordedCallError);
    await expect(replayCompaction(readAfter, offset)).rejects.toThrow(NoRecordedCallError);
  });

  it.each([
    ["a list", events],
    ["a function", readAfter],
  ])("is not known of an offset that %s does not have", async (_, source) => {
    await expect(replayCompaction(source, 99)).rejects.toThrow(OffsetNotFoundError);
  });
});
