import type { Role } from "@promptfold/contract";
import type { Mapping } from "../mapping.ts";

/** One message of OpenAI's Chat Completions API. */
export interface OpenAiChatMessage {
  readonly role: Role;
  readonly content: string;
}

/** A request body of OpenAI's Chat Completions API, without transport options such as `stream`. */
export interface OpenAiChatBody {
  readonly model: string;
  readonly max_completion_tokens?: number;
  readonly prompt_cache_key?: string;
  readonly messages: readonly OpenAiChatMessage[];
}

/**
 * OpenAI Chat Completions: system and developer messages are legal at any place, so every message keeps its role and
 * place. Caching is by prefix, without marks; `thinkingBudget` has no counterpart and is ignored.
 */
export const openAiChat: Mapping<OpenAiChatBody> = {
  id: "openai-chat@1",
  map({ messages, model, parameters, cacheKey }) {
    const { maxOutputTokens } = parameters;
    const body: OpenAiChatBody = {
      model,
      ...(typeof maxOutputTokens === "number" ? { max_completion_tokens: maxOutputTokens } : {}),
      ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
      messages: messages.map(({ role, content }) => ({ role, content })),
    };
    return {
      body,
      blocks: body.messages.map(({ role, content }) => ({ role, text: content })),
      marks: [],
      explanation: [
        "Every message keeps its role and place.",
        "No cache marks: the provider caches the longest known prefix by itself.",
        cacheKey === undefined
          ? "No prompt_cache_key: the caller named no stream."
          : "prompt_cache_key is a hash of the stream's name, so that requests of one agent meet the same cache.",
      ],
    };
  },
};
