import { describe, expect, it } from "vitest";
import { diagnoseBodies } from "../../index.ts";

const options = { countTokens: (text: string) => text.length, minimumTokens: 0 };

describe("a Chat Completions message in one part or as a string", () => {
  const texts = ["system", "question", "answer", "next", "reply", "last"];
  const roles = ["system", "user", "assistant", "user", "assistant", "user"];
  const body = (model: string, length: number, marked: readonly number[], mark: object): object => ({
    model,
    messages: texts.slice(0, length).map((text, index) => ({
      role: roles[index],
      content: marked.includes(index) ? [{ type: "text", text, ...mark }] : text,
    })),
  });

  it.each([
    ["anthropic/claude-sonnet-4.5", { cache_control: { type: "ephemeral" } }],
    ["gpt-5.6", { prompt_cache_breakpoint: {} }],
    ["gpt-5", {}],
  ])("is the same to %s, as its mark moves on", (model, mark) => {
    const bodies = [
      body(model, 2, [0, 1], mark),
      body(model, 4, [0, 1, 3], mark),
      body(model, 6, [0, 3, 5], mark),
    ];
    const diagnosis = diagnoseBodies(bodies, options);
    expect(diagnosis).toMatchObject({ conversations: 1, breaks: [], notes: [] });
    // What each request has of the one before: two messages, then four.
    expect(diagnosis.reusableTokens).toBe(
      texts.slice(0, 2).join("").length + texts.slice(0, 4).join("").length,
    );
  });

  it("is a break still where its text is another one", () => {
    const later = body("gpt-5", 6, [], {}) as { messages: { content: unknown }[] };
    const edited = later.messages.map((each, at) => (at === 1 ? { ...each, content: "questions" } : each));
    expect(
      diagnoseBodies([body("gpt-5", 4, [1], {}), { ...later, messages: edited }], options).breaks,
    ).toMatchObject([{ cause: "history-rewritten" }]);
  });
});

describe("tools whose loading is deferred", () => {
  const body = (length: number, ...tools: object[]): object => ({
    model: "claude-opus-5",
    max_tokens: 9,
    tools,
    messages: ["question", "answer", "next"].slice(0, length).map((text, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: [
        { type: "text", text, ...(index === length - 1 ? { cache_control: { type: "ephemeral" } } : {}) },
      ],
    })),
  });
  const search = { type: "tool_search_tool_regex_20251119", name: "search" };
  const read = { name: "read", input_schema: { type: "object" } };

  it("are no part of the prompt, so that more of them break nothing and count for nothing", () => {
    const before = body(1, search, read);
    const after = body(3, search, read, { name: "late", input_schema: {}, defer_loading: true });
    const diagnosis = diagnoseBodies([before, after], options);
    expect(diagnosis).toMatchObject({ breaks: [], notes: [] });
    expect(diagnosis.totalTokens).toBe(diagnoseBodies([before, body(3, search, read)], options).totalTokens);
  });

  it("are told of where one is not deferred any more", () => {
    const deferred = body(1, search, { ...read, defer_loading: true });
    expect(
      diagnoseBodies([deferred, body(3, search, { ...read, defer_loading: false })], options).breaks,
    ).toMatchObject([{ cause: "tools-changed", detail: "tools added: read" }]);
  });
});
