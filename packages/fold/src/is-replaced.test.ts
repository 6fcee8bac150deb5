import type { KnownEvent } from "@promptfold/contract";
import { parseEvent } from "@promptfold/contract";
import fc from "fast-check";
import { expect, it } from "vitest";
import { contextItems, foldEvent, initialState, isReplaced } from "./index.ts";

function known(offset: number, payload: object, trust: "inside" | "outside" = "inside"): KnownEvent {
  const stored = {
    offset,
    type: "agents/context-added",
    payload,
    createdAt: "2026-03-02T09:00:00.000Z",
    source: { processor: "test", trust },
  };
  const parsed = parseEvent(stored);
  if (parsed.kind !== "known") throw new Error(`the event is ${parsed.kind}`);
  return parsed.event;
}

it("says of messages what a compaction makes of them, earlier summaries and outside claims included", () => {
  const message = fc.record({
    role: fc.constantFrom("system", "developer", "user", "assistant"),
    trust: fc.constantFrom("inside" as const, "outside" as const),
    summaryThrough: fc.option(fc.nat(12), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), fc.nat(12), (messages, through) => {
      let state = initialState;
      for (const [index, { role, trust, summaryThrough }] of messages.entries()) {
        const compaction = { replacesHistoryThrough: summaryThrough };
        const payload = { role, content: "x", ...(summaryThrough === undefined ? {} : { compaction }) };
        state = foldEvent(state, known(index + 1, payload, trust));
      }
      const before = contextItems(state);
      const compaction = { replacesHistoryThrough: through };
      const summary = known(13, { role: "developer", content: "so far", compaction });
      const after = contextItems(foldEvent(state, summary)).filter(({ offset }) => offset !== 13);
      const stays = before.filter((item) => !isReplaced(item, through)).map(({ offset }) => offset);
      expect(after.map(({ offset }) => offset).sort()).toEqual(stays.sort());
    }),
    { numRuns: 1000 },
  );
});
