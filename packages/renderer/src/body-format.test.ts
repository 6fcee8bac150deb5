import { describe, expect, it } from "vitest";
import { type BodyFormat, possibleFormats, readBody, verifyPrefix } from "./index.ts";

const user = (...content: unknown[]): object => ({ role: "user", content });
const assistant = (...content: unknown[]): object => ({ role: "assistant", content });
const hi = { type: "text", text: "hi" };

describe("whose API a part shows", () => {
  it.each<[string, object, BodyFormat]>([
    ["Chat Completions' file", user({ type: "file", file: { file_data: "x" } }), "openai-chat"],
    ["Mistral's file", user({ type: "file", file_id: "x" }), "openai-chat"],
    ["the AI SDK's file", user({ type: "file", data: "x", mediaType: "a/b" }), "ai-sdk"],
    ["the AI SDK's file of old", user({ type: "file", data: "x", mimeType: "a/b" }), "ai-sdk"],
    ["Mistral's thinking", assistant({ type: "thinking", thinking: [hi] }), "openai-chat"],
    [
      "Anthropic's thinking",
      assistant({ type: "thinking", thinking: "x", signature: "y" }),
      "anthropic-messages",
    ],
    ["the AI SDK's reasoning", assistant({ type: "reasoning", text: "x" }), "ai-sdk"],
    ["Anthropic's image", user({ type: "image", source: { type: "base64" } }), "anthropic-messages"],
    ["Anthropic's document", user({ type: "document", source: { type: "base64" } }), "anthropic-messages"],
    ["an image of Chat Completions", user({ type: "image_url", image_url: { url: "x" } }), "openai-chat"],
    ["a tool call of Anthropic", assistant({ type: "tool_use", id: "1" }), "anthropic-messages"],
    ["a tool call of the AI SDK", assistant({ type: "tool-call", toolCallId: "1" }), "ai-sdk"],
    ["a tool call of Chat Completions", { role: "assistant", tool_calls: [] }, "openai-chat"],
    ["a text with an option of the AI SDK", user({ ...hi, providerOptions: {} }), "ai-sdk"],
  ])("%s", (_, message, format) => {
    expect(possibleFormats({ messages: [user(hi), message] })).toEqual([format]);
  });

  it.each<[string, object]>([
    ["an image that the AI SDK and other servers have", user({ type: "image", image: "x" })],
    ["a thinking part without a signature, as Cohere has it", assistant({ type: "thinking", thinking: "x" })],
    ["Cohere's document", user({ type: "document", document: { data: "x" } })],
  ])("none: %s", (_, message) => {
    expect(possibleFormats({ messages: [message] })).toHaveLength(3);
    expect(possibleFormats({ messages: [{ role: "system", content: "s" }, message] })[0]).toBe("openai-chat");
  });
});

describe("whose API a setting shows", () => {
  const messages = [{ role: "user", content: "hi" }];
  it.each<[string, object, readonly BodyFormat[]]>([
    ["none", {}, ["openai-chat", "ai-sdk", "anthropic-messages"]],
    ["a setting of the wire", { max_tokens: 9 }, ["openai-chat", "anthropic-messages"]],
    ["a setting of Chat Completions", { response_format: {} }, ["openai-chat"]],
    ["a setting of the AI SDK", { maxOutputTokens: 9 }, ["ai-sdk"]],
    ["tools by their names", { tools: { a: {} } }, ["ai-sdk"]],
    ["functions, as tools were called once", { functions: [], model: "claude-opus-5" }, ["openai-chat"]],
    ["options for a gateway, by themselves", { providerOptions: { gateway: {} } }, ["ai-sdk"]],
    [
      "options for a gateway in Chat Completions",
      { providerOptions: { gateway: {} }, tools: [{ function: {} }] },
      ["openai-chat"],
    ],
    ["a model with its settings", { model: { modelId: "gpt-5" } }, ["ai-sdk"]],
    ["a system text", { system: "s" }, ["anthropic-messages", "ai-sdk"]],
    ["no system text", { system: null }, ["openai-chat", "ai-sdk", "anthropic-messages"]],
    ["a system text and a limit", { system: "s", max_tokens: 9 }, ["anthropic-messages"]],
    ["system blocks", { system: [hi] }, ["anthropic-messages"]],
    ["system messages", { system: [{ role: "system", content: "s" }] }, ["ai-sdk"]],
    ["Claude", { model: "claude-opus-5" }, ["anthropic-messages", "openai-chat", "ai-sdk"]],
  ])("%s", (_, settings, formats) => {
    expect(possibleFormats({ ...settings, messages })).toEqual(formats);
  });

  it.each<[string, unknown, boolean]>([
    ["a text", "hi", true],
    ["items", messages, true],
    ["no items", [], true],
    ["texts to embed", ["a", "b"], false],
    ["tokens to embed", [1, 2], false],
    ["a log's own object", { a: 1 }, false],
    ["a number", 5, false],
  ])("an input that is %s", (_, input, isPrompt) => {
    expect(possibleFormats({ model: "gpt-5", input })).toEqual(isPrompt ? ["openai-responses"] : []);
  });
});

describe("a body that may be of several APIs", () => {
  const question = { role: "user", content: "hi" };
  const answers = {
    "ai-sdk": assistant({ type: "tool-call", toolCallId: "1", toolName: "f", input: {} }),
    "anthropic-messages": assistant({ type: "tool_use", id: "1", name: "f", input: {} }),
    "openai-chat": { role: "assistant", content: null, tool_calls: [{ id: "1" }] },
  };

  it.each(Object.entries(answers))("is verified as %s with one that shows it", (format, answer) => {
    const first = { model: "claude-opus-5", messages: [question] };
    const later = { ...first, messages: [question, answer] };
    expect(readBody(first).formats).toHaveLength(3);
    expect(verifyPrefix(first, later)).toMatchObject({ held: true, format });
    expect(verifyPrefix(later, first)).toMatchObject({ format, break: { kind: "missing" } });
  });

  it("is Anthropic's where its parts show it, also with a system message among the others", () => {
    const messages = [question, answers["anthropic-messages"], { role: "system", content: "s" }, question];
    expect(possibleFormats({ messages })).toEqual(["anthropic-messages"]);
  });

  it("stays what it is beside one that it cannot be", () => {
    const first = { messages: [question], max_tokens: 9 };
    expect(verifyPrefix(first, { messages: [question, answers["ai-sdk"]] }).break?.kind).toBe("format");
  });
});
