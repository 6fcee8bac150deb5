import { CONTRACT_VERSION, type StoredEvent } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { mappingIds, renderMessages, sharedLength } from "@promptfold/renderer";
import { describe, expect, it } from "vitest";
import { compareRequests, OffsetNotFoundError, replayRequest, rulesInForce } from "./index.ts";

function stream(...events: readonly [type: string, payload: unknown][]): StoredEvent[] {
  return events.map(([type, payload], index) => ({
    offset: index + 1,
    type,
    payload,
    createdAt: new Date(Date.parse("2026-03-02T09:00:00.000Z") + index * 1000).toISOString(),
  }));
}

const question = (content: string): [string, unknown] => ["agents/context-added", { role: "user", content }];
const section = (key: string, content: string): [string, unknown] => [
  "agents/context-added",
  { role: "system", key, content },
];
const request: [string, unknown] = [
  "agent/llm-request-requested",
  { model: "m", contractVersion: CONTRACT_VERSION },
];
const answer = (requestOffset: number, content: string): [string, unknown] => [
  "agents/context-added",
  { role: "assistant", content, llmRequestOffset: requestOffset },
];
const settled = (requestOffset: number): [string, unknown] => [
  "agent/llm-request-settled",
  { requestOffset, result: { status: "succeeded" } },
];
const summary = (through: number): [string, unknown] => [
  "agents/context-added",
  { role: "developer", content: "SUMMARY", compaction: { replacesHistoryThrough: through } },
];

const conversation = stream(
  section("persona", "P"), // 1
  section("rules", "Always sign commits."), // 2
  question("one"), // 3
  request, // 4
  answer(4, "first answer"), // 5
  settled(4), // 6
  question("two"), // 7
  request, // 8
  answer(8, "second answer"), // 9
  settled(8), // 10
  summary(8), // 11
  question("three"), // 12
  request, // 13
  request, // 14: guarded
  ["garden/rain-fell", { mm: 4 }], // 15
  ["agents/context-added", { role: "user" }], // 16: malformed
);

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

describe("compareRequests", () => {
  const countTokens = (text: string) => text.split(/\s+/).filter(Boolean).length;

  it("finds the earlier request as a prefix of the later one", async () => {
    const [a, b] = await Promise.all([replayRequest(conversation, 4), replayRequest(conversation, 8)]);
    const comparison = compareRequests(a, b, { countTokens });
    expect(comparison).toMatchObject({ held: true, sharedMessages: a.messages.length, brokenBy: [] });
    expect(comparison.sharedCharacters).toBe(
      a.messages.reduce((total, { content }) => total + content.length, 0),
    );
    expect(comparison.sharedTokens).toBeLessThan(comparison.totalTokens ?? 0);
  });

  it("names the compaction that broke the prefix, and where", async () => {
    const [a, b] = await Promise.all([replayRequest(conversation, 8), replayRequest(conversation, 13)]);
    expect(compareRequests(a, b)).toMatchObject({
      held: false,
      firstDifference: { message: 2, character: 0, byte: 0 },
      sharedTokens: undefined,
      brokenBy: [{ offset: 11, kind: "compaction" }],
    });
  });

  it("counts characters and bytes up to the difference inside a message", async () => {
    const rewritten = stream(
      section("notes", "naïve 🌱 A"),
      question("q"),
      request,
      settled(3),
      ["agents/context-rewritten", { op: "replace", key: "notes", content: "naïve 🌱 B" }],
      question("r"),
      request,
    );
    const [a, b] = await Promise.all([replayRequest(rewritten, 3), replayRequest(rewritten, 7)]);
    const opening = '<section key="notes">\n';
    expect(compareRequests(a, b)).toMatchObject({
      firstDifference: { message: 1, character: opening.length + 9, byte: opening.length + 12 },
      brokenBy: [{ offset: 5, kind: "rewrite" }],
    });
  });

  it.each(mappingIds)("counts messages, not the blocks that %s makes of them", async (mapping) => {
    const [a, b] = await Promise.all(
      [4, 8].map((offset) => replayRequest(conversation, offset, { mapping })),
    );
    expect(a?.messages).toHaveLength(4);
    expect(a && b && compareRequests(a, b)).toMatchObject({ held: true, sharedMessages: 4 });
  });

  it("names the message that differs inside a block that was joined from several", async () => {
    const edited = stream(
      section("notes", "A"),
      question("q"),
      request,
      settled(3),
      ["agents/context-rewritten", { op: "replace", key: "notes", content: "B" }],
      question("r"),
      request,
    );
    const options = { mapping: "openai-compatible@1" };
    const [a, b] = await Promise.all([replayRequest(edited, 3, options), replayRequest(edited, 7, options)]);
    const text = (content: string): string => `\n\n<section key="notes">\n${content}\n</section>`;
    const { firstDifference, ...comparison } = compareRequests(a, b);
    expect(comparison).toMatchObject({ held: false, sharedMessages: 1 });
    expect(firstDifference).toMatchObject({
      message: 1,
      character: text("A").indexOf("A"),
      previous: { role: "system", text: text("A") },
      next: { role: "system", text: text("B") },
    });
    expect(comparison.sharedCharacters).toBe(sharedLength(a.blocks[0]?.text ?? "", b.blocks[0]?.text ?? ""));
  });

  it("does not call a prefix what ends inside a block that is joined in the later request", async () => {
    const born = stream(["agent/created", {}], section("notes", "A"));
    const options = { mapping: "openai-compatible@1" };
    const [empty, begun] = await Promise.all([
      replayRequest(born, 1, options),
      replayRequest(born, 2, options),
    ]);
    expect(compareRequests(empty, begun)).toMatchObject({
      held: false,
      sharedMessages: 1,
      firstDifference: { message: 1, character: 0, previous: undefined },
    });
  });

  it("gives the texts that differ as the model reads them, labels included", async () => {
    const at = (second: number): StoredEvent[] =>
      stream(question("q"), request).map((event) => ({
        ...event,
        createdAt: `2026-03-02T09:00:0${second}.000Z`,
      }));
    const options = { mapping: "gemini@1" };
    const [a, b] = await Promise.all([replayRequest(at(4), 2, options), replayRequest(at(5), 2, options)]);
    const { message, character, previous, next } = compareRequests(a, b).firstDifference ?? {};
    expect(message).toBe(2);
    expect(previous?.text).toBe("[[promptfold:developer]]\nRequested at: 2026-03-02T09:00:04.000Z");
    expect(previous?.text.slice(character)).toBe("4.000Z");
    expect(next?.text.slice(character)).toBe("5.000Z");
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
