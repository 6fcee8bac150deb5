import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages/messages";
import type { GenerateContentParameters } from "@google/genai";
import type { ModelMessage, SystemModelMessage } from "ai";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import { describe, expect, expectTypeOf, it } from "vitest";
import { initialState } from "@promptfold/fold";
import {
  aiSdk,
  type AiSdkBody,
  anthropicMessages,
  type AnthropicMessagesBody,
  findMapping,
  gemini,
  type GeminiBody,
  type Mapping,
  type MappingBodies,
  mappingIds,
  type MappingName,
  openAiChat,
  type OpenAiChatBody,
  openAiChatParts,
  type OpenAiChatPartsBody,
  openAiCompatible,
  type OpenAiCompatibleBody,
  openAiResponses,
  type OpenAiResponsesBody,
  renderRequest,
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

describe("a mapping that is named gives the body its type", () => {
  it("by name and version, by name alone as the newest, and as unknown where only the events know", () => {
    const rendered = renderRequest(initialState, { mapping: "anthropic-messages" });
    expectTypeOf(rendered.body).toEqualTypeOf<AnthropicMessagesBody>();
    expect(rendered.body.messages).toEqual([]);
    expectTypeOf(
      renderRequest(initialState, { mapping: "openai-chat@1" }).body,
    ).toEqualTypeOf<OpenAiChatBody>();
    expectTypeOf(
      renderRequest(initialState, { mapping: "openai-chat" }).body,
    ).toEqualTypeOf<OpenAiChatPartsBody>();
    expectTypeOf(renderRequest(initialState).body).toEqualTypeOf<unknown>();
    const read: string = "gemini@1";
    expectTypeOf(renderRequest(initialState, { mapping: read }).body).toEqualTypeOf<unknown>();
  });

  it("for every mapping that is released, and no other", () => {
    const names: Record<MappingName, true> = {
      "openai-chat@1": true,
      "openai-chat@2": true,
      "openai-chat": true,
      "openai-compatible@1": true,
      "openai-compatible": true,
      "openai-responses@1": true,
      "openai-responses": true,
      "anthropic-messages@1": true,
      "anthropic-messages": true,
      "gemini@1": true,
      gemini: true,
      "ai-sdk@1": true,
      "ai-sdk": true,
    };
    const released = mappingIds.flatMap((id) => [id, id.slice(0, id.indexOf("@"))]);
    expect(new Set(released)).toEqual(new Set(Object.keys(names)));
    for (const mapping of [aiSdk, anthropicMessages, gemini, openAiChat, openAiChatParts] as Mapping[]) {
      expect(findMapping(mapping.id)).toBe(mapping);
    }
    expectTypeOf(aiSdk).toExtend<Mapping<MappingBodies["ai-sdk@1"]>>();
    expectTypeOf(anthropicMessages).toExtend<Mapping<MappingBodies["anthropic-messages@1"]>>();
    expectTypeOf(gemini).toExtend<Mapping<MappingBodies["gemini@1"]>>();
    expectTypeOf(openAiChat).toExtend<Mapping<MappingBodies["openai-chat@1"]>>();
    expectTypeOf(openAiChatParts).toExtend<Mapping<MappingBodies["openai-chat@2"]>>();
    expectTypeOf(openAiCompatible).toExtend<Mapping<MappingBodies["openai-compatible@1"]>>();
    expectTypeOf(openAiResponses).toExtend<Mapping<MappingBodies["openai-responses@1"]>>();
  });
});
