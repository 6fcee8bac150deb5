import type { Message, StoredEvent } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { openJournal } from "@promptfold/journal";
import { type BodyFormat, mappingIds, renderRequest, verifyPrefix } from "@promptfold/renderer";
import {
  compareRequests,
  type FirstDifference,
  type ReplayedRequest,
  replayRequest,
} from "@promptfold/replay";
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

/** Whose API a mapping's bodies speak, where its name does not say it. */
const formats: Readonly<Record<string, BodyFormat>> = {
  "openai-chat": "openai-chat",
  "openai-compatible": "openai-chat",
  "openai-responses": "openai-responses",
  "anthropic-messages": "anthropic-messages",
  gemini: "gemini",
  "ai-sdk": "ai-sdk",
};

/** Whether two messages are one in a body, where half a character has no place. */
function isSame(mapping: string, a: Message, b: Message | undefined): boolean {
  const whole = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
  if (a.role !== b?.role || whole(a.content) !== whole(b.content)) return false;
  // Where later system messages are labelled, a section of the timeline is none of the standing document.
  const isStanding = ({ from }: Message): boolean => from.kind === "standing-document";
  return isStanding(a) === isStanding(b) || /^openai-(?:chat|responses)@/.test(mapping);
}

/** The place is the message's, and the texts there are what the model reads of it and part where it says. */
function expectPlace(
  found: FirstDifference | undefined,
  message: number,
  earlier: ReplayedRequest,
  later: ReplayedRequest,
): void {
  expect(found?.message).toBe(message);
  expect(found?.previous?.from).toEqual(earlier.messages[message]?.from);
  expect(found?.next?.from).toEqual(later.messages[message]?.from);
  const [before = "", after = ""] = [found?.previous?.text, found?.next?.text];
  const length = found?.character ?? 0;
  expect(before.slice(0, length)).toBe(after.slice(0, length));
  if (found?.previous?.role === found?.next?.role)
    expect(before.codePointAt(length)).not.toBe(after.codePointAt(length));
}

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

  it.each(mappingIds)("a comparison agrees with the messages and with the body of %s", async (mapping) => {
    await fc.assert(
      fc.asyncProperty(replays, fc.nat(), async ({ events, offset }, other) => {
        const offsets = [offset, (other % events.length) + 1].sort((a, b) => a - b);
        const [earlier, later] = (await Promise.all(
          offsets.map((at) => replayRequest(events, at, { mapping })),
        )) as [ReplayedRequest, ReplayedRequest];
        const { held, sharedMessages, firstDifference } = compareRequests(earlier, later);
        const differs = earlier.messages.findIndex(
          (message, index) => !isSame(mapping, message, later.messages[index]),
        );
        const expected = differs === -1 ? earlier.messages.length : differs;
        expect(sharedMessages).toBe(expected);
        const format = formats[mapping.replace(/@.*/, "")] as BodyFormat;
        expect(held).toBe(verifyPrefix(earlier.body, later.body, { format }).held);
        if (differs !== -1) expect(held).toBe(false);
        if (held) expect(firstDifference).toBeUndefined();
        else expectPlace(firstDifference, expected, earlier, later);
      }),
      { numRuns: 1000 },
    );
  });
});
