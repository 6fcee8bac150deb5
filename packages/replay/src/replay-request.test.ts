import { CONTRACT_VERSION } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { renderMessages, UnknownMappingError } from "@promptfold/renderer";
import { describe, expect, it } from "vitest";
import { OffsetNotFoundError, replayMessages, replayRequest, rulesInForce } from "./index.ts";
import { conversation, question, request, section, stream } from "./testing/events.ts";

describe("replayRequest", () => {
  it("rebuilds each request as it was, before and after a compaction", async () => {
    const [first, second, third] = await Promise.all(
      [4, 8, 13].map((offset) => replayRequest(conversation, offset)),
    );
    const texts = (replayed: typeof first) => replayed?.messages.slice(2).map(({ content }) => content);
    expect(texts(first)).toEqual(["one", "Requested at: 2026-03-02T09:00:03.000Z"]);
    expect(texts(second)).toContain("first answer");
    expect(texts(second)).not.toContain("SUMMARY");
    expect(texts(third)?.[0]).toBe("SUMMARY");
    expect(first).toMatchObject({ opened: true, reconstructed: false, contractVersion: CONTRACT_VERSION });
  });

  it("reads pages as well as one list, whatever their size", async () => {
    for (const size of [1, 3, 100]) {
      async function* pages() {
        for (let start = 0; start < conversation.length; start += size) {
          yield await Promise.resolve(conversation.slice(start, start + size));
        }
      }
      const replayed = await replayRequest(pages(), 13);
      expect(replayed.body).toEqual((await replayRequest(conversation, 13)).body);
    }
  });

  it("continues from a snapshot", async () => {
    const from = foldEvents(conversation, { through: 8 }).state;
    const replayed = await replayRequest(conversation.slice(8), 13, { from });
    expect(replayed.body).toEqual((await replayRequest(conversation, 13)).body);
  });

  it("gives the state so far, labelled, at a guarded request and at any other event", async () => {
    expect(await replayRequest(conversation, 14)).toMatchObject({ opened: false, guarded: true });
    const other = await replayRequest(conversation, 7);
    expect(other).toMatchObject({ opened: false, guarded: false });
    expect(other.messages).toEqual(renderMessages(foldEvents(conversation, { through: 7 }).state));
  });

  it("labels a request that another contract version made, or none", async () => {
    const old = stream(question("q"), [
      "agent/llm-request-requested",
      { model: "m", contractVersion: "0.0.1" },
    ]);
    expect(await replayRequest(old, 2)).toMatchObject({ reconstructed: true, contractVersion: "0.0.1" });
    const unlabelled = stream(question("q"), ["agent/llm-request-requested", { model: "m" }]);
    expect(await replayRequest(unlabelled, 2)).toMatchObject({
      reconstructed: true,
      contractVersion: undefined,
    });
  });

  it("lists unknown and malformed events", async () => {
    const { skipped } = await replayRequest(conversation, 16);
    expect(skipped).toMatchObject([
      { offset: 15, type: "garden/rain-fell", kind: "unknown", issues: [] },
      { offset: 16, kind: "malformed", issues: [{ path: "payload.content" }] },
    ]);
  });

  it.each([0, 17, 1.5, -1])("fails clearly for offset %d, where no event stands", async (offset) => {
    await expect(replayRequest(conversation, offset)).rejects.toThrow(OffsetNotFoundError);
  });

  it("tolerates a gap between offsets, but not a question about one", async () => {
    const gapped = conversation.filter(({ offset }) => offset !== 6);
    expect(await replayRequest(gapped, 7)).toMatchObject({ opened: false });
    await expect(replayRequest(gapped, 6)).rejects.toThrow(/no event at offset 6/);
  });
});

describe("replayMessages", () => {
  it("gives the messages of a request whose mapping this release does not ship", async () => {
    const events = stream(question("q"), [
      "agent/llm-request-requested",
      { model: "m", mapping: "acme-chat@7" },
    ]);
    await expect(replayRequest(events, 2)).rejects.toThrow(UnknownMappingError);
    const known = await replayRequest(events, 2, { mapping: "openai-chat@1" });
    const replayed = await replayMessages(events, 2);
    expect(replayed).toMatchObject({
      opened: true,
      guarded: false,
      mapping: "acme-chat@7",
      reconstructed: true,
    });
    expect(replayed.messages).toEqual(known.messages);
    expect(await replayMessages(conversation, 14)).toMatchObject({ guarded: true, mapping: "openai-chat@1" });
    await expect(replayMessages(conversation, 99)).rejects.toThrow(OffsetNotFoundError);
  });
});

describe("rulesInForce", () => {
  it("gives each key's text, since when it holds and what it replaced", () => {
    const updated = stream(
      section("a", "a1"),
      section("b", "b1"),
      question("q"),
      request,
      section("a", "a2"),
    );
    expect(rulesInForce(foldEvents(updated).state)).toEqual([
      { key: "a", role: "system", content: "a2", since: 5, replaced: { offset: 1, content: "a1" } },
      { key: "b", role: "system", content: "b1", since: 2, replaced: undefined },
    ]);
  });
});
