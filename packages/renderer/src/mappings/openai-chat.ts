import type { Role } from "@promptfold/contract";
import { defineMapping } from "../define-mapping.ts";
import type { Mapping } from "../mapping.ts";
import type { SeparateLayout } from "../mapping-definition.ts";
import { positiveInteger } from "../parameters.ts";
import { inPlacePlacement } from "./in-place-placement.ts";
import { explainCacheKey } from "./openai-breakpoints.ts";

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
  readonly messages: OpenAiChatMessage[];
}

const layout: SeparateLayout<OpenAiChatBody, OpenAiChatMessage> = {
  merges: false,
  head({ model, parameters, cacheKey }) {
    const maxTokens = positiveInteger(parameters["maxOutputTokens"]);
    return {
      model,
      ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
      ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
      messages: [],
    };
  },
  fill: (head, messages) => ({ ...head, messages }),
  // Roles are never renamed here.
  entry: (role, content) => ({ role: role as Role, content }),
};

/**
 * OpenAI Chat Completions: system and developer messages are legal at any place, so every message keeps its role and
 * place. Content is a plain string, which can carry no mark: right for models that find the longest known prefix by
 * themselves, and for servers that take nothing else. The second version is for models that match at breakpoints.
 * `thinkingBudget` has no counterpart and is ignored.
 */
export const openAiChat: Mapping<OpenAiChatBody> = defineMapping<OpenAiChatBody>({
  id: "openai-chat@1",
  rules: inPlacePlacement,
  layout,
  limits: () => undefined,
  explain: ({ cacheKey }) => [
    "Every message keeps its role and place.",
    "No cache marks: the provider caches the longest known prefix by itself.",
    explainCacheKey(cacheKey),
  ],
});
