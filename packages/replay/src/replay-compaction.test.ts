import { renderRequest } from "@promptfold/renderer";
import { describe, expect, it } from "vitest";
import { CONTRACT_VERSION, type StoredEvent } from "@promptfold/contract";
import {
  NoRecordedCallError,
  OffsetNotFoundError,
  replayCompaction,
  replayCompactionMessages,
  replayRequest,
} from "./index.ts";

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
  {
    type: "agents/context-added",
    payload: { role: "developer", content: "Nowhere.", compaction: { ...compaction, requestOffset: 1.5 } },
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

  it.each([6, 10, 11, 12, 13, 14, 15, 16])("is not known of event %i", async (offset) => {
    await expect(replayCompaction(events, offset)).rejects.toThrow(NoRecordedCallError);
    await expect(replayCompaction(readAfter, offset)).rejects.toThrow(NoRecordedCallError);
  });

  it.each([
    ["a list", events],
    ["a function", readAfter],
  ])("is not known of an offset that %s does not have", async (_, source) => {
    await expect(replayCompaction(source, 99)).rejects.toThrow(OffsetNotFoundError);
  });

  describe("tells of the request that it repeats", () => {
    /** The same stream with another request in the place of the measured one, and an event that nobody knows before it. */
    const withRequest = (payload: object): StoredEvent[] =>
      events.map((event) => {
        if (event.offset === 1) return { ...event, type: "garden/rain-fell" };
        return event.offset === 4 ? { ...event, payload } : event;
      });

    it.each([
      ["no contract", undefined, true],
      ["another contract", "0.0.1", true],
      ["the current contract", CONTRACT_VERSION, false],
    ])("whether it is reconstructed: made under %s", async (_, contractVersion, reconstructed) => {
      const source = withRequest({ model: "m", ...(contractVersion && { contractVersion }) });
      const expected = {
        offset: 7,
        opened: true,
        guarded: false,
        contractVersion,
        reconstructed,
        model: "m",
        skipped: [{ offset: 1, type: "garden/rain-fell", kind: "unknown" }],
        skippedCount: 1,
        historyChanges: [],
        replayedFrom: 0,
        state: { openRequest: { offset: 4 } },
      };
      expect(await replayCompaction(source, 7)).toMatchObject(expected);
      const { model: __, ...ofMessages } = expected;
      expect(await replayCompactionMessages(source, 7)).toMatchObject(ofMessages);
    });

    it("its messages, whatever mapping it was made for", async () => {
      const known = await replayCompaction(events, 7);
      const source = withRequest({ model: "m", mapping: "acme-chat@7" });
      await expect(replayCompaction(source, 7)).rejects.toMatchObject({ code: "unknown-mapping" });
      const call = await replayCompactionMessages(source, 7);
      expect(call).toMatchObject({ mapping: "acme-chat@7", messages: known.messages });
    });
  });
});
