import { describe, expect, it } from "vitest";
import { diagnoseBodies, formatDiagnosis } from "../../index.ts";

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const options = { countTokens: words, minimumTokens: 0 };

const mark = { cache_control: { type: "ephemeral" } };
const texts = ["question", "answer", "next question", "next answer", "last question"];

/** Bodies of one conversation: `count` has no limit and no marks, as what counts its tokens. */
function message(length: number, isCount = false, model = "claude-opus-5"): object {
  return {
    model,
    ...(isCount ? {} : { max_tokens: 9 }),
    system: [{ type: "text", text: "a b c d", ...(isCount ? {} : mark) }],
    messages: texts.slice(0, length).map((text, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text, ...(isCount || index < length - 1 ? {} : mark) }],
    })),
  };
}

const requests = [message(1), message(3), message(5)];
const lengths = [1, 3, 5];
const note = (count: number): object => ({ kind: "token-counts", isFault: false, count, first: 0 });

describe("calls that only count tokens", () => {
  it.each([
    ["Anthropic's", "https://api.anthropic.com/v1/messages/count_tokens?beta=true"],
    ["Vertex's", "https://x/models/count-tokens:rawPredict"],
    ["OpenAI's", "/v1/responses/input_tokens"],
    ["Gemini's", "https://x/v1beta/models/gemini-3-pro:countTokens"],
  ])("are left out by %s address, wherever it stands", (_, url) => {
    const wraps: readonly ((body: object, url: string) => object)[] = [
      (body, to) => ({ url: to, body }),
      (body, to) => ({ request: { url: to, postData: { text: JSON.stringify(body) } }, response: {} }),
      (body, to) => ({ path: to, request: JSON.stringify(body) }),
    ];
    for (const wrap of wraps) {
      const lines = lengths.flatMap((length) => [
        wrap(message(length, true), url),
        wrap(message(length), "https://api.anthropic.com/v1/messages"),
      ]);
      const diagnosis = diagnoseBodies(lines, options);
      expect(diagnosis).toMatchObject({ bodies: 3, conversations: 1, unreadable: [], notes: [note(3)] });
      expect(diagnosis.totalTokens).toBe(diagnoseBodies(requests, options).totalTokens);
    }
  });

  it.each([
    ["before", (counts: object[]) => [...counts, ...requests]],
    ["among", (counts: object[]) => counts.flatMap((count, index) => [count, requests[index] ?? {}])],
  ])("are left out without an address, %s requests to the same model that have a limit", (_, mix) => {
    const counts = lengths.map((length) => message(length, true));
    const diagnosis = diagnoseBodies(["not JSON", ...mix(counts)], options);
    const plain = diagnoseBodies(requests, options);
    expect(diagnosis).toMatchObject({ bodies: 3, conversations: 1, breaks: [] });
    expect(diagnosis.unreadable).toMatchObject([{ body: 0 }]);
    expect(diagnosis.notes).toMatchObject([{ kind: "token-counts", count: 3, first: 1 }]);
    expect(diagnosis.reusableTokens).toBe(plain.reusableTokens);
    expect(formatDiagnosis(diagnosis)).toContain("Note: 3 calls that only count tokens are left out");
  });

  it.each<[string, readonly object[]]>([
    ["no body has a limit", lengths.map((length) => message(length, true))],
    ["those that have one go to another model", [...requests, message(1, true, "claude-haiku-5")]],
    ["they are streamed", [...requests, { ...message(5, true), stream: true }]],
    [
      "their address is another one",
      [...requests, { url: "https://api.anthropic.com/v1/messages", body: message(5, true) }],
    ],
    [
      "they may be Chat Completions behind a proxy",
      [true, false].map((isCount) => message(1, isCount, "anthropic/claude-opus-5")),
    ],
    ["too many came before", [...Array.from({ length: 300 }, () => message(1, true)), message(3)]],
  ])("are none where %s", (_, bodies) => {
    const diagnosis = diagnoseBodies(bodies, options);
    expect(diagnosis.bodies).toBe(bodies.length);
    expect(diagnosis.notes.filter(({ kind }) => kind === "token-counts")).toEqual([]);
  });
});
