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

describe("a tool's result that is one text, to Anthropic", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const result = (content: unknown, more: object = {}): object => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "t", content, ...more }],
  });
  const call = {
    role: "assistant",
    content: [{ type: "tool_use", id: "t", name: "run", input: { at: 1234567890 } }],
  };
  const more = [
    { role: "assistant", content: "answer" },
    { role: "user", content: "next" },
  ];
  const body = (...messages: object[]): object => ({
    model: "claude-opus-5",
    max_tokens: 9,
    messages: [{ role: "user", content: "question" }, call, ...messages],
  });

  it.each<[string, object, object]>([
    ["a list of one text", result("seen"), result([{ type: "text", text: "seen" }])],
    ["with a mark inside", result([{ type: "text", text: 'a "{}" b', ...mark }]), result('a "{}" b')],
    [
      "with what an SDK did not set",
      result("seen"),
      result([{ type: "text", text: "seen", citations: null }]),
    ],
    ["that is no error", result("seen", { is_error: false }), result("seen", { cache_control: null })],
    ["that is empty", result(""), result([])],
    ["that is left out", result(undefined), result([{ type: "text", text: "" }])],
  ])("is the same as a string: %s", (_, one, other) => {
    expect(diagnoseBodies([body(one), body(other, ...more)], options).breaks).toEqual([]);
    expect(diagnoseBodies([body(other), body(one, ...more)], options).breaks).toEqual([]);
  });

  it("is cached to the end as a mark inside it moves on", () => {
    const marked = result([{ type: "text", text: "seen", ...mark }]);
    const diagnosis = diagnoseBodies(
      [body(marked), body(result("seen"), call, result([{ type: "text", text: "again", ...mark }]))],
      options,
    );
    expect(diagnosis).toMatchObject({ conversations: 1, breaks: [], notes: [] });
    expect(diagnosis.reusableTokens).toBe(diagnoseBodies([body(result("seen"))], options).totalTokens);
  });

  it.each<[string, object]>([
    ["another text", result([{ type: "text", text: "seen!" }])],
    [
      "two texts",
      result([
        { type: "text", text: "se" },
        { type: "text", text: "en" },
      ]),
    ],
    ["an error", result("seen", { is_error: true })],
  ])("is a break still where it is %s", (_, other) => {
    expect(diagnoseBodies([body(result("seen")), body(other, ...more)], options).breaks).toMatchObject([
      { cause: "history-rewritten" },
    ]);
  });

  it("is the same text with `citations: null` as without", () => {
    const said = (extra: object): object => ({
      role: "assistant",
      content: [{ type: "text", text: "said", ...extra }],
    });
    const later = [said({}), { role: "user", content: "go" }, ...more];
    const bodies = [body(said({ citations: null }), { role: "user", content: "go" }), body(...later)];
    expect(diagnoseBodies(bodies, options).breaks).toEqual([]);
  });
});

describe("fields of a Chat Completions message that say nothing", () => {
  const calls = [{ id: "c", type: "function", function: { name: "run", arguments: '{"a":null}' } }];
  const result = { role: "tool", tool_call_id: "c", content: "seen" };
  const chat = (...messages: object[]): object => ({
    model: "gpt-5",
    messages: [{ role: "system", content: "rules" }, { role: "user", content: "question" }, ...messages],
  });
  const more = [
    { role: "assistant", content: "answer" },
    { role: "user", content: "next" },
  ];
  const called = (extra: object): object => ({ role: "assistant", tool_calls: calls, ...extra });
  const said = (extra: object): object => ({ role: "assistant", content: "yes", ...extra });
  const nothing: readonly object[] = [
    {},
    { content: null },
    { content: "" },
    { content: [] },
    { content: [{ type: "text", text: "" }] },
    { content: null, refusal: null, annotations: [], audio: null, function_call: null },
  ];
  const unset: readonly object[] = [
    {},
    { refusal: null, annotations: [] },
    { tool_calls: [] },
    { name: "" },
    { audio: null, metadata: {} },
  ];

  it.each<[string, readonly object[]]>([
    ["beside a call", nothing.map(called)],
    ["beside a text", unset.map(said)],
    ["of a message without any other", nothing.map((extra) => ({ role: "assistant", ...extra }))],
  ])("are the same as none %s, and count for nothing", (_, messages) => {
    const tokens = new Set<number | undefined>();
    for (const before of messages)
      for (const after of messages) {
        const bodies = [chat(before, result), chat(after, result, ...more)];
        const diagnosis = diagnoseBodies(bodies, options);
        expect(diagnosis.breaks).toEqual([]);
        tokens.add(diagnosis.totalTokens);
      }
    expect(tokens.size).toBe(1);
  });

  it("keep what is counted of an image behind them at its place", () => {
    const image = { type: "image_url", image_url: { url: "https://x/1.png", detail: "low" } };
    const shown = { role: "user", content: [image] };
    const tokens = (extra: object): number | undefined =>
      diagnoseBodies([chat(called(extra), result, shown)], options).totalTokens;
    expect(tokens({ content: "", refusal: null })).toBe(tokens({ content: null }));
    const first = chat(called({ content: "" }), result, shown);
    expect(diagnoseBodies([first, chat(called({}), result, shown, ...more)], options).breaks).toEqual([]);
  });

  it("leave a mark on them where it was", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const body = (content: unknown): object => ({
      ...chat(called({ content })),
      model: "anthropic/claude-sonnet-4.5",
    });
    expect(diagnoseBodies([body([{ type: "text", text: "", ...mark }])], options).notes).toEqual([]);
    expect(diagnoseBodies([body(null), body(null)], options).notes).toMatchObject([
      { kind: "no-cache-marks" },
    ]);
  });

  it("tell the rest apart", () => {
    const body = (custom: string, refusal: unknown, ...later: object[]): object =>
      chat(said({ custom, refusal }), ...more, ...later);
    const found = (a: object, b: object): readonly object[] => diagnoseBodies([a, b], options).breaks;
    expect(found(body("a", null), body("a", [], ...more))).toEqual([]);
    expect(found(body("a", null), body("b", [], ...more))).toMatchObject([
      { cause: "history-rewritten", detail: "a field of messages[2] was changed: `custom`" },
    ]);
  });
});
