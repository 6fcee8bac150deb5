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

describe("what moved", () => {
  const step = (number: number): readonly object[] => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: `call_${"abcdefgh"[number]}7b9c2d4e`,
          type: "function",
          function: { name: "ls", arguments: "{}" },
        },
      ],
    },
    { role: "tool", tool_call_id: `call_${"abcdefgh"[number]}7b9c2d4e`, content: "a.ts" },
  ];
  const steps = (from: number, to: number): object[] =>
    Array.from({ length: to - from }, (_, index) => step(from + index)).flat();

  it("is a sliding window, and no identifier, of calls for the same", () => {
    expect(only(chat([user("q"), ...steps(0, 3)]), chat([user("q"), ...steps(1, 4)]))).toMatchObject({
      cause: "history-trimmed",
      detail: "3 blocks that had been sent were taken out",
    });
  });

  it("is a sliding window, and no clock, of messages with times", () => {
    const turns = (from: number): object[] =>
      Array.from({ length: 5 }, (_, index) =>
        (from + index) % 2 === 0 ? user(`[10:${10 + from + index}] bob: yes`) : model("ok"),
      );
    expect(only(chat(turns(0)), chat(turns(2)))).toMatchObject({
      cause: "history-trimmed",
      detail: "2 blocks that had been sent were taken out",
    });
  });

  it("is a sliding window, and no other image, of messages with nothing else", () => {
    const turns = (from: number): object[] =>
      Array.from({ length: 5 }, (_, index) => {
        const url = `data:image/png;base64,${"ABCDEFGH"[from + index]}AAA`;
        return index % 2 === 0
          ? { role: "user", content: [{ type: "image_url", image_url: { url } }] }
          : model("ok");
      });
    expect(only(chat(turns(0)), chat(turns(2))).cause).toBe("history-trimmed");
  });

  it("is a reminder that stands at the end again", () => {
    const reminder = { role: "system", content: "Keep to the rules." };
    const found = only(chat([user("q"), reminder]), chat([user("q"), model("a"), user("r"), reminder]));
    expect(found).toMatchObject({
      cause: "tail-replaced",
      detail: "the last text of the request before moved to the end of this one",
    });
  });

  it("is a message put in, where what had been sent is answered after it", () => {
    const found = only(chat([user("q")]), chat([model("Hello!"), user("q"), model("a"), user("r")]));
    expect(found).toMatchObject({
      cause: "message-inserted",
      detail: "1 block was put in before what had been sent",
    });
  });

  it("is nothing where a text was edited that occurs again", () => {
    const turns = (first: string): object[] => [
      user(first),
      model("ok"),
      user("go on"),
      model("ok"),
      user("go on"),
    ];
    const found = only(chat(turns("go on")), chat([...turns("go on!"), model("ok"), user("go on")]));
    expect(found.cause).toBe("history-rewritten");
  });

  it("is told where it came in at more than one place", () => {
    const before = [user("a"), model("b"), user("c"), model("d"), user("e"), model("f"), user("g")];
    const memory = user("memory");
    const after = before.flatMap((each, index) => (index % 2 === 0 ? [memory, each] : [each]));
    expect(only(chat(before), chat([...after, model("h"), user("i")])).detail).toBe(
      "blocks were put in before what had been sent at more than one place",
    );
    expect(only(chat(after), chat([...before, model("h"), user("i")])).detail).toBe(
      "blocks that had been sent were taken out at more than one place",
    );
  });
});

describe("a call's identifier", () => {
  const body = (id: string, args: string, ...more: object[]): object =>
    chat([
      user("q"),
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "ls", arguments: args } }],
      },
      { role: "tool", tool_call_id: id, content: "a.ts" },
      ...more,
    ]);
  const more = [model("a"), user("r")];

  it.each([
    ["call_ab12cd34", "call_zz98yy76"],
    ["D681PevKs", "h0kq2VmPx"],
    ["call_1", "call_2"],
    ["x", "a name of any shape"],
  ])("is seen where %j becomes %j and nothing else changes", (old, now) => {
    expect(only(body(old, '{"a":1}'), body(now, '{"a":1}', ...more))).toMatchObject({
      cause: "varying-id",
      detail:
        "the identifier of a tool call at messages[1] is another one in this request, and nothing else of it is",
    });
    expect(only(body(old, '{"a":1,"b":2}'), body(now, '{"b":2, "a":1}', ...more)).cause).toBe("varying-id");
  });

  it("is not the cause where it is another call, or a field of the caller's own", () => {
    const [old, now] = ["call_ab12cd34ef56", "call_zz98yy76xx54"];
    expect(only(body(old, '{"a":1}'), body(now, '{"a":2}', ...more)).cause).toBe("history-rewritten");
    const use = (id: string): object => ({ type: "tool_use", id: "t", name: "f", input: { id } });
    const turn = (id: string): object[] => [user("q"), { role: "assistant", content: [use(id)] }];
    expect(only(chat(turn("x")), chat([...turn("y"), user("r")])).cause).toBe("history-rewritten");
  });
});

it("says of a date that changed once what two requests show", () => {
  const body = (date: string, ...messages: object[]): object =>
    chat([{ role: "system", content: `Today is ${date}.` }, user("q"), ...messages]);
  const found = only(body("2026-10-14"), body("2026-10-15", model("a"), user("r")));
  expect(found.detail).toBe("a date or a time in the system text is another one in this request");
});

describe("a field of a message that was sent", () => {
  const [bob, answer, next] = [user("question"), model("answer"), user("next")];
  const more = [model("reply"), user("last")];

  it.each<[string, readonly object[], readonly object[], string]>([
    [
      "added",
      [bob, answer, next],
      [{ ...bob, name: "bob" }, answer, next, ...more],
      "a field of messages[0] was added: `name`",
    ],
    [
      "removed",
      [bob, { ...answer, refusal: "no" }, next],
      [bob, answer, next, ...more],
      "a field of messages[1] was removed: `refusal`",
    ],
    [
      "changed",
      [{ ...bob, name: "bob" }, answer, next],
      [{ ...bob, name: "ann" }, answer, next, ...more],
      "a field of messages[0] was changed: `name`",
    ],
    [
      "added to the last message",
      [bob, answer, next],
      [bob, answer, { ...next, name: "bob" }, ...more],
      "a field of messages[2] was added: `name`",
    ],
    [
      "removed from the last message",
      [bob, answer, { ...next, name: "bob" }],
      [bob, answer, next, ...more],
      "a field of messages[2] was removed: `name`",
    ],
    [
      "changed in the last message",
      [bob, answer, { ...next, name: "bob" }],
      [bob, answer, { ...next, name: "ann" }, ...more],
      "a field of messages[2] was changed: `name`",
    ],
    [
      "added to every message",
      [bob, answer, next, ...more],
      [...[bob, answer, next, ...more].map((each) => ({ ...each, name: "x" })), model("a"), user("b")],
      "a field of messages[0] was added: `name`",
    ],
    [
      "added, with others that differ,",
      [bob, { ...answer, refusal: "no", phase: "a" }, next],
      [bob, { ...answer, phase: "b", audio: "x" }, next, ...more],
      "fields of messages[1] were added: `audio`; removed: `refusal`; changed: `phase`",
    ],
  ])("is named where it was %s", (_, before, after, detail) => {
    expect(only(chat(before), chat(after))).toMatchObject({ cause: "history-rewritten", detail });
  });

  it("is not the cause where messages moved as well", () => {
    const named = { ...bob, name: "bob" };
    const before = [bob, answer, next, ...more];
    expect(only(chat(before), chat([named, ...before, model("a"), user("b")])).cause).toBe(
      "message-inserted",
    );
    const call = { tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] };
    const called = [bob, { ...answer, ...call }, { role: "tool", tool_call_id: "c", content: "seen" }];
    expect(only(chat([...called, next, ...more]), chat([bob, answer, next, ...more, model("a")])).cause).toBe(
      "history-trimmed",
    );
  });
});

it("calls a text that is always last a tail, also behind the model's answer", () => {
  const ask = user("What may they ask next?");
  const found = only(
    chat([user("q"), model("a"), ask]),
    chat([user("q"), model("a"), user("r"), model("b"), ask]),
  );
  expect(found).toMatchObject({
    cause: "tail-replaced",
    detail: expect.stringContaining("moved to the end") as string,
  });
});
