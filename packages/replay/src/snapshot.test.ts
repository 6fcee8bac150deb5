import { CONTRACT_VERSION, type SavedAgentState, type StoredEvent } from "@promptfold/contract";
import { foldEvents, saveState } from "@promptfold/fold";
import { describe, expect, it } from "vitest";
import {
  compareRequests,
  readSnapshot,
  replayRequest,
  replayState,
  type StateSnapshot,
  takeSnapshot,
} from "./index.ts";

const events: readonly StoredEvent[] = [
  ["agents/context-added", { role: "system", key: "rules", content: "one" }],
  ["agents/context-added", { role: "user", content: "q" }],
  ["agent/llm-request-requested", { model: "m", contractVersion: CONTRACT_VERSION }],
  ["agent/llm-request-settled", { requestOffset: 3, result: { status: "succeeded" } }],
  ["agents/context-rewritten", { op: "replace", key: "rules", content: "two" }],
  ["agents/context-added", { role: "user", content: "r" }],
  ["agent/llm-request-requested", { model: "m", contractVersion: CONTRACT_VERSION }],
  ["agent/llm-request-requested", { model: "m" }],
].map(([type, payload], index) => ({
  offset: index + 1,
  type: type as string,
  payload,
  createdAt: `2026-03-02T09:00:0${index}.000Z`,
}));

/** The state at offset 4, as a snapshot has it, with a change. */
function changed(change: (state: SavedAgentState) => SavedAgentState): string {
  return JSON.stringify(change(saveState(foldEvents(events, { through: 4 }).state)));
}
const laterItems = saveState(foldEvents(events, { through: 6 }).state).items;

describe("snapshots", () => {
  it.each([1, 3, 4, 5, 6])(
    "taken at %d give the same request, reading only what comes after",
    async (offset) => {
      const snapshot = JSON.parse(
        JSON.stringify(takeSnapshot(await replayState(events, offset))),
      ) as StateSnapshot;
      const asked: number[] = [];
      const source = (after: number): StoredEvent[] => {
        asked.push(after);
        return events.slice(after);
      };
      const replayed = await replayRequest(source, 7, { snapshot });
      const whole = await replayRequest(events, 7);
      expect(asked).toEqual([offset]);
      expect(JSON.stringify(replayed.body)).toBe(JSON.stringify(whole.body));
      expect(replayed).toMatchObject({
        replayedFrom: offset,
        opened: true,
        historyChanges: whole.historyChanges,
      });
      // A caller that reads the whole stream all the same gets the same, too.
      expect((await replayRequest(events, 7, { snapshot })).body).toEqual(whole.body);
      const [first] = [await replayRequest(events, 3)];
      expect(compareRequests(first, replayed).brokenBy).toEqual([
        { offset: 5, kind: "rewrite", key: "rules" },
      ]);
    },
  );

  it.each([
    ["another fold version", { foldVersion: "0.0.0" }],
    ["another contract version", { contractVersion: "0.0.0" }],
    ["text that is no JSON", { state: "{" }],
    ["a state that does not fit", { state: '{"items":3}' }],
    ["notes that do not fit", { state: '{"noticed":3}' }],
    ["a place at or behind the offset", { offset: 7 }],
    ["more sent than there was", { state: changed((state) => ({ ...state, sentThrough: 5 })) }],
    ["an item of a later event", { state: changed((state) => ({ ...state, items: laterItems })) }],
    ["a place that is none", { offset: -3 }],
    ["a place between two events", { offset: 3.5 }],
  ])("are ignored with %s", async (_, change) => {
    const snapshot = { ...takeSnapshot(await replayState(events, 4)), ...change };
    const replayed = await replayRequest((after) => events.slice(after), 7, { snapshot });
    expect(replayed.replayedFrom).toBe(0);
    expect(replayed.body).toEqual((await replayRequest(events, 7)).body);
  });

  it("take a state that was saved without replay's own notes", () => {
    const { state } = foldEvents(events, { through: 6 });
    const plain = {
      ...takeSnapshot({ offset: 6, state, historyChanges: [], skipped: [], skippedCount: 0 }),
      state: JSON.stringify(saveState(state)),
    };
    expect(readSnapshot(plain)).toMatchObject({ offset: 6, historyChanges: [] });
  });

  it("tell what was skipped before them, as a replay of the whole does", async () => {
    const odd = events.map((event) =>
      event.offset === 2
        ? { ...event, type: "garden/rain-fell" }
        : event.offset === 6
          ? { ...event, payload: { role: "user" } }
          : event,
    );
    const whole = await replayState(odd, 8);
    expect(whole.skipped.map(({ offset, kind }) => [offset, kind])).toEqual([
      [2, "unknown"],
      [6, "malformed"],
    ]);
    for (const offset of [1, 3, 6, 7]) {
      const snapshot = takeSnapshot(await replayState(odd, offset));
      const { skipped, skippedCount } = await replayState((after) => odd.slice(after), 8, { snapshot });
      expect({ skipped, skippedCount }).toEqual({ skipped: whole.skipped, skippedCount: 2 });
    }
  });

  it("tell an offset behind them that was never written", async () => {
    const snapshot = takeSnapshot(await replayState(events, 6));
    await expect(replayRequest((after) => events.slice(after), 99, { snapshot })).rejects.toThrow(
      /newest event read has offset 8/,
    );
  });

  it("say of a guarded request behind them that it is one", async () => {
    const snapshot = takeSnapshot(await replayState(events, 6));
    expect(await replayRequest(events, 8, { snapshot })).toMatchObject({ guarded: true, opened: false });
  });
});

describe("what was skipped", () => {
  it("is listed as far as memory allows, and counted to the end", async () => {
    const noise = Array.from({ length: 2500 }, (_, index) => ({
      offset: index + 1,
      type: "garden/rain-fell",
      payload: {},
      createdAt: "2026-03-02T09:00:00.000Z",
    }));
    const lost = {
      ...noise[0],
      offset: 2501,
      type: "agents/context-added",
      payload: { role: "user" },
    } as StoredEvent;
    const { skipped, skippedCount } = await replayState([...noise, lost], 2501);
    expect(skippedCount).toBe(2501);
    // What is malformed was meant for the model, and is not hidden by what is unknown.
    expect(skipped).toHaveLength(1001);
    expect(skipped.at(-1)).toMatchObject({ kind: "malformed", offset: 2501 });
  });
});
