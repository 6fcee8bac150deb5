import { describe, expect, it } from "vitest";
import { data, startModelServer as stub, text } from "../../test/model-server.ts";
import { openAiChatModel } from "./openai-chat-model.ts";

const apiKey = "sk-test-ABCDEFGH12345678";
const body = { model: "default", messages: [{ role: "user", content: "naïve 🌱 \u2028" }] };

describe("openAiChatModel", () => {
  it("sends the rendered body first and byte for byte, and reads the stream wherever it is cut", async () => {
    const whole = [
      text("Hel"),
      ": keep-alive\n\n",
      text("lo 🌱\r\n"),
      data({ choices: [{ delta: {}, finish_reason: "stop" }] }),
      data({
        choices: [],
        usage: { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 8 } },
      }),
      "data: [DONE]\n\n",
    ].join("");
    const { requests, baseUrl } = await stub({
      chunks: Array.from(Buffer.from(whole), (byte) => Buffer.of(byte)),
    });
    const heard: string[] = [];
    const reply = await openAiChatModel({ apiKey, baseUrl, defaultModel: "gpt-test" }).call({
      mapping: "openai-chat@1",
      body,
      signal: new AbortController().signal,
      onText: (piece) => heard.push(piece),
    });
    expect(reply).toEqual({
      text: "Hello 🌱\r\n",
      finishReason: "stop",
      usage: { inputTokens: 10, outputTokens: 4, cachedInputTokens: 8 },
    });
    expect(heard.join("")).toBe(reply.text);
    const sent = JSON.stringify({ ...body, model: "gpt-test" }).slice(0, -1);
    expect(requests[0]?.body.startsWith(sent)).toBe(true);
    expect(requests[0]).toMatchObject({
      url: "/v1/chat/completions",
      headers: { authorization: `Bearer ${apiKey}` },
    });
  });

  it.each([
    [
      "an HTTP error that echoes the key",
      { status: 401, chunks: [`{"error":{"message":"bad key ${apiKey}"}}`] },
    ],
    [
      "an HTTP error that shows its ends",
      { status: 401, chunks: ["incorrect key: sk-test-ABCDE*****2345678"] },
    ],
    ["an error in the stream", { chunks: [data({ error: { message: `quota of ${apiKey} used up` } })] }],
    ["a reply that breaks off", { chunks: [text("half an ans")] }],
    ["something that is no stream of events", { chunks: ["data: <html>\n\n"] }],
  ])("fails with words that hold no piece of the key: %s", async (_, answer) => {
    const { baseUrl } = await stub(answer);
    const call = openAiChatModel({ apiKey, baseUrl }).call({
      mapping: "openai-chat@1",
      body,
      signal: new AbortController().signal,
      onText: () => undefined,
    });
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    expect(error).toMatchObject({ code: "model-call-failed" });
    for (const secret of [apiKey, "sk-test-ABCDE", "2345678"]) expect(error?.message).not.toContain(secret);
  });

  it.each(["openai-responses@1", "anthropic-messages@1", "gemini@1", "ai-sdk@1", "openai-chatty@1"])(
    "refuses a body that %s made before anything is sent",
    async (mapping) => {
      const { requests, baseUrl } = await stub({ chunks: [] });
      const call = openAiChatModel({ apiKey, baseUrl }).call({
        mapping,
        body,
        signal: new AbortController().signal,
        onText: () => undefined,
      });
      const error = await call.then(
        () => undefined,
        (reason: unknown) => reason as Error,
      );
      expect(error).toMatchObject({ code: "unsupported-mapping", mapping });
      expect(error?.message).toContain(`mapping ${mapping} makes no body that openai-chat at 127.0.0.1`);
      expect(error?.message).toContain("openai-chat@1, openai-chat@2, openai-compatible@1 do.");
      expect(error?.message).toContain('"agent/configured","payload":{"config":{"mapping":"openai-chat@1"}}');
      expect(requests).toHaveLength(0);
    },
  );

  it.each(["openai-chat@1", "openai-chat@9", "openai-compatible@1"])(
    "sends what %s made",
    async (mapping) => {
      const { requests, baseUrl } = await stub({ chunks: [text("Yes."), "data: [DONE]\n\n"] });
      const reply = await openAiChatModel({ apiKey, baseUrl }).call({
        mapping,
        body,
        signal: new AbortController().signal,
        onText: () => undefined,
      });
      expect(reply.text).toBe("Yes.");
      expect(requests).toHaveLength(1);
    },
  );

  it("says why nobody answered", async () => {
    const call = openAiChatModel({ apiKey, baseUrl: "http://127.0.0.1:1" }).call({
      mapping: "openai-chat@1",
      body,
      signal: new AbortController().signal,
      onText: () => undefined,
    });
    await expect(call).rejects.toThrow(/model call to 127\.0\.0\.1:1 failed: .*(?:ECONNREFUSED|bad port)/);
  });

  it("stops when it is told to", async () => {
    const { baseUrl } = await stub({ chunks: [text("on and on")], keepOpen: true });
    const abort = new AbortController();
    const call = openAiChatModel({ apiKey, baseUrl }).call({
      mapping: "openai-chat@1",
      body,
      signal: abort.signal,
      onText: () => {
        abort.abort();
      },
    });
    await expect(call).rejects.toMatchObject({ code: "model-call-failed" });
  });
});
