import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type BodyFormat,
  detectFormat,
  readBody,
  UnreadableBodyError,
  utf8Length,
  verifyPrefix,
} from "./index.ts";

const text = (value: string, extra: object = {}) => ({ type: "text", text: value, ...extra });
const mark = { cache_control: { type: "ephemeral" } };

/** One conversation in every shape: `turns` alternate user and assistant, after a system text. */
const shapes: Record<BodyFormat, (system: string, turns: readonly string[]) => Record<string, unknown>> = {
  "openai-chat": (system, turns) => ({
    model: "gpt-4o",
    messages: [
      { role: "system", content: system },
      ...turns.map((content, index) => ({ role: index % 2 ? "assistant" : "user", content })),
    ],
  }),
  "openai-responses": (system, turns) => ({
    model: "gpt-5.6",
    instructions: system,
    input: turns.map((value, index) =>
      index % 2
        ? { role: "assistant", content: value }
        : { type: "message", role: "user", content: [{ type: "input_text", text: value }] },
    ),
  }),
  "anthropic-messages": (system, turns) => ({
    model: "claude-sonnet-5",
    max_tokens: 10,
    system: [text(system)],
    messages: turns.map((value, index) => ({
      role: index % 2 ? "assistant" : "user",
      content: [text(value, index === turns.length - 1 ? mark : {})],
    })),
  }),
  gemini: (system, turns) => ({
    systemInstruction: { parts: [{ text: system }] },
    contents: turns.map((value, index) => ({ role: index % 2 ? "model" : "user", parts: [{ text: value }] })),
  }),
  "ai-sdk": (system, turns) => ({
    model: "openai/gpt-4o",
    instructions: [{ role: "system", content: system }],
    messages: turns.map((value, index) => ({
      role: index % 2 ? "assistant" : "user",
      content: [text(value)],
      ...(index === turns.length - 1
        ? { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } }
        : {}),
    })),
  }),
};
const formats = Object.keys(shapes) as BodyFormat[];

describe("whose API a body with marks speaks", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const part = { type: "text", text: "hi", ...mark };
  it.each<[string, { readonly tools?: readonly object[]; readonly messages: readonly object[] }, BodyFormat]>(
    [
      ["chat tools", { tools: [{ type: "function", function: { name: "f" } }], messages: [] }, "openai-chat"],
      ["a chat role", { messages: [{ role: "system", content: "s" }] }, "openai-chat"],
      ["neither", { messages: [] }, "anthropic-messages"],
      ["Anthropic's tools", { tools: [{ name: "f", input_schema: {} }], messages: [] }, "anthropic-messages"],
    ],
  )("with %s is told alike with marks and before there are any", (_, { messages, ...rest }, format) => {
    for (const content of ["hi", [part]]) {
      const body = {
        model: "claude-sonnet-4-5",
        ...rest,
        messages: [...messages, { role: "user", content }],
      };
      expect(detectFormat(body)).toBe(format);
    }
  });
});

describe.each(formats)("verifyPrefix on %s bodies", (format) => {
  const shape = shapes[format];

  it("tells the shape from the body", () => {
    expect(detectFormat(shape("s", ["a"]))).toBe(format);
    expect(readBody(shape("s", ["a", "b"])).blocks.map((block) => block.text)).toEqual(["s", "a", "b"]);
  });

  it("holds when the later body only adds, marks aside, as an object, as JSON text or as its bytes", () => {
    const a = shape("s", ["one"]);
    const b = shape("s", ["one", "two", "three"]);
    expect(verifyPrefix(a, b)).toMatchObject({ held: true, format, break: undefined, sharedBlocks: 2 });
    expect(verifyPrefix(JSON.stringify(a), JSON.stringify(b)).held).toBe(true);
    const bytes = (body: object): Uint8Array => new TextEncoder().encode(JSON.stringify(body));
    expect(verifyPrefix(bytes(a), bytes(b))).toEqual(verifyPrefix(a, b));
    expect(verifyPrefix(a, a).held).toBe(true);
  });

  it("says where a text changed, in characters and bytes", () => {
    const verdict = verifyPrefix(shape("naïve 🌱 A", ["q"]), shape("naïve 🌱 B", ["q", "r"]));
    expect(verdict).toMatchObject({
      held: false,
      sharedBlocks: 0,
      sharedCharacters: 9,
      sharedBytes: 12,
      break: { kind: "text", block: 0, character: 9, byte: 12 },
    });
  });

  it("finds history that was cut, and a role that changed", () => {
    expect(verifyPrefix(shape("s", ["a", "b", "c"]), shape("s", ["a"])).break).toMatchObject({
      kind: "missing",
      block: 2,
    });
    const trimmed = verifyPrefix(shape("s", ["a", "b", "c"]), shape("s", ["c"])).break;
    expect(trimmed).toMatchObject({ kind: "text", block: 1 });
  });

  it("holds for any added turns and breaks exactly at any changed one", () => {
    const turns = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(turns, turns, fc.nat(), (first, more, pick) => {
        const before = shape("s", first);
        expect(verifyPrefix(before, shape("s", [...first, ...more])).held).toBe(true);
        const changed = pick % first.length;
        const altered = first.with(changed, `${first[changed] ?? ""}!`);
        expect(verifyPrefix(before, shape("s", [...altered, ...more])).break).toMatchObject({
          kind: "text",
          block: changed + 1,
          character: first[changed]?.length,
          byte: utf8Length(first[changed] ?? ""),
        });
      }),
      { numRuns: 1000 },
    );
  });
});

describe("verifyPrefix", () => {
  it("does not let a Chat Completions message change its shape, or grow once it was sent", () => {
    const string = { messages: [{ role: "user", content: "a" }] };
    const parts = { messages: [{ role: "user", content: [text("a")] }] };
    const grown = { messages: [{ role: "user", content: [text("a"), text("b")] }] };
    expect(verifyPrefix(string, parts).break).toMatchObject({ kind: "shape", block: 0 });
    expect(verifyPrefix(parts, grown).break).toMatchObject({ kind: "shape", path: "messages[0].content[1]" });
  });

  it("lets the last message of an Anthropic body grow by blocks", () => {
    const body = (...blocks: object[]) => ({ system: "s", messages: [{ role: "user", content: blocks }] });
    expect(verifyPrefix(body(text("a", mark)), body(text("a"), text("b", mark)))).toMatchObject({
      held: true,
      previousMarks: 1,
      keptMarks: 0,
    });
    expect(verifyPrefix(body(text("a", mark)), body(text("a", mark), text("b", mark))).keptMarks).toBe(1);
  });

  it("reads tools before system text, so that a tool added or reordered breaks at its definition", () => {
    const tool = (name: string) => ({ name, description: "d", input_schema: { type: "object" } });
    const body = (...tools: object[]) => ({
      model: "claude-opus-5",
      max_tokens: 1,
      system: "s",
      tools,
      messages: [{ role: "user", content: "a" }],
    });
    expect(verifyPrefix(body(tool("a"), tool("b")), body(tool("b"), tool("a"))).break).toMatchObject({
      kind: "text",
      role: "tool-definition",
      path: "tools[0]",
    });
    expect(verifyPrefix(body(tool("a")), body(tool("a"), tool("b"))).break).toMatchObject({
      kind: "role",
      block: 1,
      path: "tools[1]",
    });
    expect(verifyPrefix(body({ ...tool("a"), ...mark }), body(tool("a"))).held).toBe(true);
  });

  it("compares calls, results and reasoning by their JSON, and leaves a caller's own `cache_control` alone", () => {
    const call = (input: object) => ({
      system: "s",
      messages: [{ role: "assistant", content: [{ type: "tool_use", id: "1", name: "t", input }] }],
    });
    expect(verifyPrefix(call({ a: 1 }), call({ a: 1 })).held).toBe(true);
    expect(verifyPrefix(call({ cache_control: 1 }), call({ cache_control: 2 })).held).toBe(false);
    const result = (extra: object) => ({
      system: "s",
      messages: [
        { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: [text("r", extra)] }] },
      ],
    });
    expect(verifyPrefix(result(mark), result({})).held).toBe(true);
    const item = (output: string) => ({ input: [{ type: "function_call_output", call_id: "c", output }] });
    expect(verifyPrefix(item("x"), item("y")).break).toMatchObject({
      kind: "text",
      role: "function_call_output",
    });
  });

  it("names the events of the two blocks where it is told them", () => {
    const body = (content: string) => ({ messages: [{ role: "user", content }] });
    const from = (offset: number) => ({ from: { kind: "message", offset } as const });
    expect(
      verifyPrefix(body("a"), body("b"), { previousBlocks: [from(3)], nextBlocks: [from(9)] }).break,
    ).toMatchObject({ previousOrigin: { offset: 3 }, nextOrigin: { offset: 9 } });
  });

  it("says so when the two speak different APIs", () => {
    expect(verifyPrefix(shapes.gemini("s", ["a"]), shapes["openai-chat"]("s", ["a"]))).toMatchObject({
      held: false,
      break: { kind: "format", block: 0 },
    });
  });

  it.each([
    ["", /not JSON/],
    ["{", /not JSON/],
    ["3", /neither a JSON object/],
    [Uint8Array.of(0xff), /not UTF-8/],
    [new Uint8Array(), /not JSON/],
    [null, /neither a JSON object/],
    [{}, /none of the fields/],
    [{ prompt: "x" }, /none of the fields/],
    [{ model: "text-embedding-3-small", input: "x" }, /none of the fields/],
  ])("refuses %j clearly", (body, message) => {
    expect(() => verifyPrefix(body, body)).toThrow(message);
    expect(() => verifyPrefix(body, body)).toThrow(UnreadableBodyError);
    expect(() => readBody(body)).toThrow(UnreadableBodyError);
  });

  it("bears odd messages, prototype names and deep nesting without a crash", () => {
    const odd = { messages: [null, 3, "text", {}, { role: 7, content: null }, { role: "user" }, [[]]] };
    expect(verifyPrefix(odd, odd).held).toBe(true);
    const hostile = JSON.stringify({ messages: [{ role: "constructor", content: "x" }] }).replace(
      '"content"',
      '"__proto__":{"a":1},"content"',
    );
    expect(verifyPrefix(hostile, hostile).held).toBe(true);
    const deep = `{"messages":[{"role":"user","content":[{"type":"x","y":${"[".repeat(200_000)}${"]".repeat(200_000)}}]}]}`;
    // How deep is too deep is for the engine to say.
    try {
      expect(verifyPrefix(deep, deep).held).toBe(true);
    } catch (error) {
      expect((error as Error).message).toMatch(/nested too deeply|not JSON/);
    }
  });
});

describe("what the model reads and a careless reading would not see", () => {
  const claude = (input: string): string =>
    `{"model":"claude-opus-5","system":"s","messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"send","input":{"channel":${input}}}]}]}`;
  const gemini = (id: string): string =>
    `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{"id":${id}}}}]}]}`;
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const image = { type: "image", source: { type: "url", url: "u" } };
  const imageUrl = { type: "image_url", image_url: { url: "u" } };
  const text = (part: object): object => ({ type: "text", text: JSON.stringify(part) });
  const said = (part: object): object => ({ messages: [{ role: "user", content: [part] }] });
  const calls = (name: string): object => ({
    functions: [{ name, parameters: {} }],
    messages: [{ role: "user", content: "a" }],
  });

  it.each<[string, unknown, unknown, string]>([
    ["a long number in a call", claude("1234567890123456789"), claude("1234567890123456700"), "text"],
    ["one in bytes", bytes(claude("1234567890123456789")), bytes(claude("1234567890123456788")), "text"],
    ["one in a call of Gemini's", gemini("1234567890123456789"), gemini("1234567890123456700"), "text"],
    [
      "a picture in place of its JSON",
      { system: "s", ...said(text(image)) },
      { system: "s", ...said(image) },
      "shape",
    ],
    ["a picture in a chat", said(text(imageUrl)), said(imageUrl), "shape"],
    ["a time in nanoseconds", claude("1732954825.123456789"), claude("1732954825.123456788"), "text"],
    [
      "a number in place of a text",
      '{"messages":[{"role":"user","content":1234567890123456789}]}',
      '{"messages":[{"role":"user","content":"1234567890123456789"}]}',
      "shape",
    ],
    ["functions, as tools were called once", calls("a"), calls("b"), "text"],
    [
      "functions of Claude's, behind another API",
      { model: "anthropic/claude-sonnet-4.5", ...calls("a") },
      { model: "anthropic/claude-sonnet-4.5", ...calls("b") },
      "text",
    ],
    [
      "a message that says nothing",
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: null },
        ],
      },
      {
        messages: [
          { role: "user", content: "a" },
          { role: "user", content: "b" },
        ],
      },
      "role",
    ],
    [
      "a template on the server",
      { prompt: { id: "pmpt_1", version: "1" }, input: "x" },
      { prompt: { id: "pmpt_1", version: "2" }, input: "x" },
      "text",
    ],
  ])("breaks the prefix: %s", (_, previous, next, kind) => {
    expect(verifyPrefix(previous, next)).toMatchObject({ held: false, break: { kind } });
    expect(verifyPrefix(previous, previous)).toMatchObject({ held: true });
    expect(verifyPrefix(next, next)).toMatchObject({ held: true });
  });

  it("holds for a message that leaves out the content that it does not have", () => {
    const call = { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "f" } }] };
    const body = (...messages: object[]): object => ({
      model: "gpt-5",
      messages: [{ role: "user", content: "a" }, ...messages],
    });
    const later = body({ ...call, content: null }, { role: "tool", tool_call_id: "c", content: "b" });
    expect(verifyPrefix(body(call), later).held).toBe(true);
    expect(verifyPrefix(body({ role: "assistant" }), body({ role: "assistant", content: null })).held).toBe(
      true,
    );
    // What an API tells from nothing is for its caller to say.
    expect(verifyPrefix(body({ ...call, refusal: null }), later).held).toBe(false);
    expect(verifyPrefix(body({ ...call, content: "" }), later).held).toBe(false);
    const item = { type: "reasoning", role: "assistant", id: "r1" };
    expect(verifyPrefix({ input: [item] }, { input: [{ ...item, id: "r2" }] }).held).toBe(false);
  });

  it("names the event behind a template on the server, which no event became", () => {
    const body = (text: string): object => ({
      prompt: { id: "pmpt_1" },
      input: [{ role: "user", content: text }],
    });
    const blocks = (offset: number) => [{ from: { kind: "message", offset } as const }];
    const verdict = verifyPrefix(body("a"), body("b"), { previousBlocks: blocks(3), nextBlocks: blocks(9) });
    expect(verdict.break).toMatchObject({ previousOrigin: { offset: 3 }, nextOrigin: { offset: 9 } });
  });
});
