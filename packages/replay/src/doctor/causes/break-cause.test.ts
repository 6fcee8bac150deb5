import { describe, expect, it } from "vitest";
import { type DiagnosedBreak, diagnoseBodies, formatDiagnosis } from "../../index.ts";
import { apis, type Turn } from "../testing/api-bodies.ts";

const user = (content: string): object => ({ role: "user", content });
const model = (content: string): object => ({ role: "assistant", content });
const chat = (messages: readonly object[], more: object = {}): object => ({
  model: "gpt-5",
  messages,
  ...more,
});

function only(before: object, after: object): DiagnosedBreak {
  const { breaks } = diagnoseBodies([before, after], {
    countTokens: (text) => text.length,
    minimumTokens: 0,
  });
  expect(breaks).toHaveLength(1);
  return breaks[0] as DiagnosedBreak;
}

describe("the same JSON, written differently", () => {
  const call = (args: string, first: "name" | "arguments" = "name"): object => {
    const names = { name: "read", arguments: args };
    const sorted = first === "name" ? names : { arguments: args, name: "read" };
    return {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: sorted }],
    };
  };
  const result = { role: "tool", tool_call_id: "c1", content: "data" };
  const body = (made: object, ...more: object[]): object => chat([user("q"), made, result, ...more]);
  const more = [model("a"), user("r")];

  it.each<[string, object, object, string]>([
    ["a call's fields", call("{}"), call("{}", "arguments"), "with its keys in another order"],
    ["a call's arguments", call('{"a":1,"b":2}'), call('{"b":2,"a":1}'), "with its keys in another order"],
    [
      "the white space of arguments",
      call('{"a":1}'),
      call('{"a": 1}'),
      "with other white space or escapes in it",
    ],
  ])("is named for %s", (_, before, after, how) => {
    const found = only(body(before), body(after, ...more));
    expect(found).toMatchObject({
      cause: "json-reordered",
      detail: `what stands at messages[1] is the same JSON ${how}`,
    });
  });

  it("is named for tools, in each API's words", () => {
    const schema = (...names: string[]): object => ({
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    });
    const tools = (...names: string[]): Record<string, unknown>[] => [
      { tools: [{ type: "function", function: { name: "f", parameters: schema(...names) } }] },
      { tools: [{ name: "f", input_schema: schema(...names) }], system: "s" },
    ];
    tools("a", "b").forEach((before, index) => {
      const after = tools("b", "a")[index];
      const found = only(chat([user("q")], before), chat([user("q"), ...more], after));
      expect(found).toMatchObject({
        cause: "json-reordered",
        detail: "tools are the same JSON with its keys in another order: f",
      });
    });
    const gemini = (...names: string[]): object => ({
      functionDeclarations: [{ name: "f", parameters: schema(...names) }],
    });
    const contents = ["q", "a", "r"].map((text, index) => ({
      role: index === 1 ? "model" : "user",
      parts: [{ text }],
    }));
    const found = only(
      { contents: contents.slice(0, 1), tools: [gemini("a", "b")] },
      { contents, tools: [gemini("b", "a")] },
    );
    expect(found.cause).toBe("json-reordered");
  });

  it("is not what has another value, or another tool beside it", () => {
    expect(only(body(call('{"a":1,"b":2}')), body(call('{"b":2,"a":3}'), ...more)).cause).toBe(
      "history-rewritten",
    );
    const tool = (name: string, first: object): object => ({
      type: "function",
      function: { ...first, name },
    });
    const before = chat([user("q")], { tools: [tool("f", { a: 1, b: 2 })] });
    const after = chat([user("q"), ...more], { tools: [tool("f", { b: 2, a: 1 }), tool("g", {})] });
    expect(only(before, after).cause).toBe("tools-changed");
  });
});

describe("history", () => {
  const turns = (from: number, to: number): object[] =>
    Array.from({ length: to - from }, (_, index) =>
      (from + index) % 2 === 0 ? user(`question ${from + index}`) : model(`answer ${from + index}`),
    );

  it.each([
    [
      "one message",
      [user("Summary: they talked.")],
      "8 blocks that had been sent were replaced by one, at messages[0].content",
    ],
    [
      "a question and an answer",
      [user("Summary: they talked."), model("Noted.")],
      "8 blocks that had been sent were replaced by 2, from messages[0].content on",
    ],
  ])("that became %s is a summary", (_, summary, detail) => {
    const found = only(chat(turns(0, 11)), chat([...summary, ...turns(8, 13)]));
    expect(found).toMatchObject({ cause: "history-summarised", detail });
  });

  it("with one result shortened is no summary", () => {
    const [first, , ...rest] = turns(0, 13);
    expect(only(chat(turns(0, 11)), chat([first ?? {}, model("[cleared]"), ...rest])).cause).toBe(
      "history-rewritten",
    );
  });

  it.each<[string, readonly object[], readonly object[], string]>([
    [
      "one block taken out",
      turns(0, 7),
      [...turns(0, 2), ...turns(3, 9)],
      "1 block that had been sent was taken out",
    ],
    ["two blocks taken out", turns(0, 7), turns(2, 9), "2 blocks that had been sent were taken out"],
    [
      "one block put in",
      turns(0, 7),
      [user("memory"), ...turns(0, 9)],
      "1 block was put in before what had been sent",
    ],
    ["the last block gone", turns(0, 7), turns(0, 6), "the last block of the request before is gone"],
    ["the last two gone", turns(0, 7), turns(0, 5), "the last 2 blocks of the request before are gone"],
  ])("with %s is told in right words", (_, before, after, detail) => {
    expect(only(chat(before), chat(after)).detail).toBe(detail);
  });
});

describe("an answer whose beginning was sent", () => {
  const body = (turns: readonly Turn[]): object => apis.anthropic({ system: "s", turns });

  it("is no break once the answer is there", () => {
    const diagnosis = diagnoseBodies([
      body([
        ["user", "q"],
        ["assistant", "{"],
      ]),
      body([
        ["user", "q"],
        ["assistant", '{"a":1}'],
        ["user", "r"],
        ["assistant", "{"],
      ]),
    ]);
    expect(diagnosis).toMatchObject({ conversations: 1, breaks: [] });
    expect(formatDiagnosis(diagnosis)).toContain("no break");
  });

  it("is one when the answer begins differently", () => {
    const found = only(
      body([
        ["user", "q"],
        ["assistant", "{"],
      ]),
      body([
        ["user", "q"],
        ["assistant", "[1]"],
        ["user", "r"],
      ]),
    );
    expect(found.cause).toBe("history-rewritten");
  });
});

it("finds a clock in a tool's definition", () => {
  const tools = (date: string): object => ({
    tools: [{ type: "function", function: { name: "f", description: `Today is ${date}.` } }],
  });
  const found = only(
    chat([user("q")], tools("2026-01-01")),
    chat([user("q"), model("a"), user("r")], tools("2026-01-02")),
  );
  expect(found).toMatchObject({
    cause: "clock",
    detail: "a date or a time in the definition of tools is another one: f",
  });
});

describe("a setting that empties the cache", () => {
  const claude = (length: number, tool_choice: string): object => ({
    model: "anthropic/claude-opus-5",
    messages: [
      user("s"),
      ...Array.from({ length }, (_, index) => ({
        role: index % 2 === 0 ? "user" : "assistant",
        content: [
          {
            type: "text",
            text: `turn ${index}`,
            ...(index === length - 1 ? { cache_control: { type: "ephemeral" } } : {}),
          },
        ],
      })),
    ],
    tool_choice,
  });
  const kimi = (length: number, type: string): object => {
    const turns = Array.from({ length }, (_, index) => (index % 2 === 0 ? user("q") : model("a")));
    return { model: "kimi-k2", max_tokens: 9, system: "s", messages: turns, tool_choice: { type } };
  };

  it("is told of Claude behind another API, and not as a mark out of reach", () => {
    const { breaks, notes } = diagnoseBodies([claude(1, "auto"), claude(3, "none")], {
      countTokens: (text) => text.length,
      minimumTokens: 0,
    });
    expect(breaks).toMatchObject([{ cause: "settings-changed", detail: "`tool_choice` is another one" }]);
    expect(breaks[0]?.lostTokens).toBeGreaterThan(0);
    expect(notes).toEqual([]);
    expect(diagnoseBodies([claude(1, "auto"), claude(3, "auto")]).breaks).toEqual([]);
  });

  it("is none of another model's behind Anthropic's API, which caches prefixes", () => {
    expect(diagnoseBodies([kimi(1, "auto"), kimi(3, "none")]).breaks).toEqual([]);
  });
});
