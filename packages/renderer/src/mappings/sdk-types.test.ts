import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages/messages";
import type { GenerateContentParameters } from "@google/genai";
import type { ModelMessage, SystemModelMessage } from "ai";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import { describe, expect, expectTypeOf, it } from "vitest";
import type {
  AiSdkBody,
  AnthropicMessagesBody,
  GeminiBody,
  OpenAiChatBody,
  OpenAiChatPartsBody,
  OpenAiCompatibleBody,
  OpenAiResponsesBody,
} from "../index.ts";

// The type checker is what proves these: an SDK that no longer takes our bodies fails the build.
describe("bodies are what the official SDKs take", () => {
  it("openai takes Chat Completions and Responses bodies", () => {
    expectTypeOf<OpenAiChatBody>().toExtend<ChatCompletionCreateParamsNonStreaming>();
    expectTypeOf<OpenAiCompatibleBody>().toExtend<ChatCompletionCreateParamsNonStreaming>();
    expectTypeOf<OpenAiResponsesBody>().toExtend<ResponseCreateParamsNonStreaming>();
    expectTypeOf<OpenAiChatPartsBody>().toExtend<ChatCompletionCreateParamsNonStreaming>();
    expectTypeOf<keyof OpenAiChatBody>().toExtend<keyof ChatCompletionCreateParamsNonStreaming>();
    expectTypeOf<keyof OpenAiChatPartsBody>().toExtend<keyof ChatCompletionCreateParamsNonStreaming>();
    expectTypeOf<keyof OpenAiResponsesBody>().toExtend<keyof ResponseCreateParamsNonStreaming>();
  });

  it("@anthropic-ai/sdk takes Messages bodies", () => {
    expectTypeOf<AnthropicMessagesBody>().toExtend<MessageCreateParamsNonStreaming>();
    expectTypeOf<keyof AnthropicMessagesBody>().toExtend<keyof MessageCreateParamsNonStreaming>();
  });

  it("@google/genai takes the parts of a generateContent body", () => {
    const parameters = (model: string, body: GeminiBody): GenerateContentParameters => ({
      model,
      contents: body.contents,
      config: { systemInstruction: body.systemInstruction, ...body.generationConfig },
    });
    const body: GeminiBody = { systemInstruction: { parts: [] }, contents: [] };
    expect(parameters("gemini-3-pro", body)).toMatchObject({ model: "gemini-3-pro", contents: [] });
  });

  it("ai takes system messages and ModelMessages", () => {
    expectTypeOf<AiSdkBody["messages"]>().toExtend<ModelMessage[]>();
    expectTypeOf<AiSdkBody["system"]>().toExtend<SystemModelMessage[]>();
  });
});
