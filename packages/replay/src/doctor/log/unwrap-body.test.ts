import { describe, expect, it } from "vitest";
import { diagnoseBodies, listBodies, unwrapBody } from "../../index.ts";

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const options = { countTokens: words, minimumTokens: 0 };

describe("what a log keeps around a body", () => {
  const claude = (time: string): object => ({
    anthropic_version: "bedrock-2023-05-31",
    max_tokens: 9,
    system: [{ type: "text", text: `It is ${time}. Be kind.`, cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: "hi" }],
  });
  const invocation = (time: string): object => ({
    schemaType: "ModelInvocationLog",
    modelId: "anthropic.claude-opus-5-20260801-v1:0",
    operation: "InvokeModel",
    input: { inputContentType: "application/json", inputBodyJson: claude(time) },
    output: { outputBodyJson: {} },
  });

  it("is taken off a log of model invocations, whose model is the body's", () => {
    const prices = { "claude-opus-5": { input: 5, cachedInput: 0.5 } };
    const bodies = ["10:00", "10:01", "10:02"].map(invocation);
    expect(diagnoseBodies(bodies, { ...options, prices })).toMatchObject({
      bodies: 3,
      breaks: [
        {
          cause: "clock",
          model: "anthropic.claude-opus-5-20260801-v1:0",
          lostMoney: expect.any(Number) as number,
        },
        { cause: "clock" },
      ],
      unpricedModels: [],
    });
    expect(unwrapBody(invocation("10:00"))).toEqual(claude("10:00"));
    expect(listBodies(JSON.stringify(invocation("10:00")))).toEqual([invocation("10:00")]);
  });

  it.each<[string, object]>([
    ["beside it", { model: "gemini-3-pro" }],
    ["in the address", { url: "https://x/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse" }],
  ])("tells of a Gemini body the model %s", (_, around) => {
    const body = { contents: [{ role: "user", parts: [{ text: "w ".repeat(4000) }] }] };
    const lines = [body, body].map((request) => ({ ...around, request }));
    expect(diagnoseBodies(lines, { countTokens: words }).reusableTokens).toBe(0);
    expect(diagnoseBodies([body, body], { countTokens: words }).reusableTokens).toBe(4000);
  });

  it.each([
    [{ input: { a: 1 } }, "its `input` is neither a list nor a text; "],
    [{ input: 5 }, "its `input` is neither a list nor a text; "],
    [{ input: ["a", "b"] }, "it is a call for embeddings, "],
    [{ input: [1, 2] }, "it is a call for embeddings, "],
    [{ model: "omni-moderation-latest", input: "x" }, "it is a call for moderation, "],
    [{ model: "gpt-4o-mini-tts", input: "x", voice: "a" }, "it is a call for speech, "],
    [
      { modelId: "m", input: { inputBodyJson: { messages: [{ role: "user" }], inferenceConfig: {} } } },
      "it is a body of Bedrock's Converse API, ",
    ],
  ])("is passed over in %j, with what it is", (line, reason) => {
    expect(diagnoseBodies([line, line])).toMatchObject({
      bodies: 0,
      breaks: [],
      unreadable: [0, 1].map((body) => ({ body, reason: expect.stringContaining(reason) as string })),
    });
  });

  it("is no body of a format that was named without what each body of that has", () => {
    const { unreadable } = diagnoseBodies([{ contents: "hi" }, { messages: [] }], { format: "gemini" });
    expect(unreadable).toEqual([{ body: 1, reason: "it has no `contents`, which every body of gemini has" }]);
  });
});
