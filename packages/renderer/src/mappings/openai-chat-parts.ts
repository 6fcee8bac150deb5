import type { Role } from "@promptfold/contract";
import { defineMapping } from "../define-mapping.ts";
import type { Mapping } from "../mapping.ts";
import type { SeparateLayout } from "../mapping-definition.ts";
import { positiveInteger } from "../parameters.ts";
import { inPlacePlacement } from "./in-place-placement.ts";
import {
  breakpointLimits,
  explainBreakpoints,
  explainCacheKey,
  explicitCacheSettings,
  markableText,
  type OpenAiCacheSettings,
  type OpenAiText,
} from "./openai-breakpoints.ts";

/** A text part of OpenAI's Chat Completions API, which may end a prefix that is cached. */
export type OpenAiChatTextPart = OpenAiText<"text">;

/**
 * One message of OpenAI's Chat Completions API: a list of parts from the start, so that its shape never changes. What
 * the assistant said is a plain string: the API ignores a breakpoint there.
 */
export type OpenAiChatPartsMessage =
  | { readonly role: "system" | "developer" | "user"; readonly content: OpenAiChatTextPart[] }
  | { readonly role: "assistant"; readonly content: string };

/** A request body of OpenAI's Chat Completions API, without transport options such as `stream`. */
export interface OpenAiChatPartsBody extends OpenAiCacheSettings {
  readonly model: string;
  readonly max_completion_tokens?: number;
  readonly messages: OpenAiChatPartsMessage[];
}

const layout: SeparateLayout<OpenAiChatPartsBody, OpenAiChatPartsMessage> = {
  merges: false,
  head({ model, parameters, cacheKey }) {
    const maxTokens = positiveInteger(parameters["maxOutputTokens"]);
    return {
      model,
      ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
      ...explicitCacheSettings({ model, cacheKey }),
      messages: [],
    };
  },
  fill: (head, messages) => ({ ...head, messages }),
  entry: (role, text, mark) =>
    role === "assistant"
      ? { role, content: text }
      : {
          // Roles are never renamed here.
          role: role as Exclude<Role, "assistant">,
          content: [markableText("text", text, mark)],
        },
};

/**
 * OpenAI Chat Completions with content that can be marked: every message keeps its role and place, as in the first
 * version, and is a list of text parts, whatever the model, so that another model changes no message. Models that match
 * at breakpoints get up to four explicit ones. `thinkingBudget` has no counterpart and is ignored.
 */
export const openAiChatParts: Mapping<OpenAiChatPartsBody> = defineMapping<OpenAiChatPartsBody>({
  id: "openai-chat@2",
  rules: inPlacePlacement,
  layout,
  limits: breakpointLimits,
  explain: ({ model, cacheKey }) => [
    "Every message keeps its role and place.",
    explainBreakpoints(model),
    explainCacheKey(cacheKey),
  ],
});
