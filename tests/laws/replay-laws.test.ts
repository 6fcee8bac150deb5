import type { StoredEvent } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { openJournal } from "@promptfold/journal";
import { renderRequest } from "@promptfold/renderer";
import { compareRequests, replayRequest } from "@promptfold/replay";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventStreams } from "./event-streams.ts";

async function* pages(events: readonly StoredEvent[], sizes: readonly number[]) {
  for (let start = 0, page = 0; start < events.length; page++) {
    const size = sizes[page % sizes.length] ?? 1;
    yield await Promise.resolve(events.slice(start, start + size));
    start += size;
  }
}

const replays = eventStreams.chain((events) =>
  fc.record({
    events: fc.constant(events),
    offset: fc.integer({ min: 1, max: events.length }),
    sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  }),
);

describe("the laws of replay", () => {
  it("page size is irrelevant, and replay is what live rendering was", async () => {
    await fc.assert(
      fc.asyncProperty(replays, async ({ events, offset, sizes }) => {
        const live = renderRequest(foldEvents(events, { through: offset }).state);
        const replayed = await replayRequest(pages(events, sizes), offset);
        expect(JSON.stringify(replayed.body)).toBe(JSON.stringify(live.body));
        expect(replayed.opened).toBe(
          foldEvents(events, { through: offset }).state.openRequest?.offset === offset,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("what a journal stored replays to the same bytes, whatever page size it is read by", async () => {
    await fc.assert(
      fc.asyncProperty(replays, async ({ events, offset, sizes }) => {
        const journal = await openJournal("memory:");
        const restored = events.map(({ payload, source, ...event }) => ({
          ...event,
          payloadText: JSON.stringify(payload),
          ...(source === undefined ? {} : { source }),
        }));
        await journal.restore("/agents/law", restored, { after: 0 });
        const stored = await replayRequest(journal.read("/agents/law", { pageSize: sizes[0] ?? 1 }), offset);
        const direct = await replayRequest(events, offset);
        expect(JSON.stringify(stored.body)).toBe(JSON.stringify(direct.body));
        await journal.close();
      }),
      { numRuns: 1000 },
    );
  });

  it("a comparison agrees with the messages themselves", async () => {
    await fc.assert(
      fc.asyncProperty(replays, fc.nat(), async ({ events, offset }, other) => {
        const earlier = await replayRequest(events, Math.min(offset, (other % events.length) + 1));
        const later = await replayRequest(events, Math.max(offset, (other % events.length) + 1));
        const { isPrefix, sharedMessages, firstDifference } = compareRequests(earlier, later);
        const same = (index: number) =>
          JSON.stringify([earlier.messages[index]?.role, earlier.messages[index]?.content]) ===
          JSON.stringify([later.messages[index]?.role, later.messages[index]?.content]);
        const expected = earlier.messages.findIndex((_, index) => !same(index));
        expect(isPrefix).toBe(expected === -1);
        expect(sharedMessages).toBe(expected === -1 ? earlier.messages.length : expected);
        expect(firstDifference?.message).toBe(expected === -1 ? undefined : expected);
      }),
      { numRuns: 1000 },
    );
  });
});
