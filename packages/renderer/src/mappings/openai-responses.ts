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

/** A text of OpenAI's Responses API, which may end a prefix that is cached. */
export type OpenAiInputText = OpenAiText<"input_text">;

/** One input item of OpenAI's Responses API. What the assistant said takes a plain string and no breakpoint. */
export type OpenAiInputItem =
  | {
      readonly type: "message";
      readonly role: "user" | "system" | "developer";
      readonly content: OpenAiInputText[];
    }
  | { readonly type: "message"; readonly role: "assistant"; readonly content: string };

/** A request body of OpenAI's Responses API, without transport options such as `stream` and `store`. */
export interface OpenAiResponsesBody extends OpenAiCacheSettings {
  readonly model: string;
  readonly max_output_tokens?: number;
  readonly input: OpenAiInputItem[];
}

const layout: SeparateLayout<OpenAiResponsesBody, OpenAiInputItem> = {
  merges: false,
  head({ model, parameters, cacheKey }) {
    const maxTokens = positiveInteger(parameters["maxOutputTokens"]);
    return {
      model,
      ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
      ...explicitCacheSettings({ model, cacheKey }),
      input: [],
    };
  },
  fill: (head, input) => ({ ...head, input }),
  entry: (role, text, mark) =>
    role === "assistant"
      ? { type: "message", role, content: text }
      : {
          type: "message",
          // Roles are never renamed here.
          role: role as Exclude<Role, "assistant">,
          content: [markableText("input_text", text, mark)],
        },
};

/**
 * OpenAI Responses: system and developer items are legal at any place, so every message keeps its role and place. The
 * standing document is an input item and not the `instructions` string, so that it can carry a breakpoint. Models
 * that match at breakpoints get up to four explicit ones. `thinkingBudget` has no counterpart and is ignored.
 */
export const openAiResponses: Mapping<OpenAiResponsesBody> = defineMapping<OpenAiResponsesBody>({
  id: "openai-responses@1",
  rules: inPlacePlacement,
  layout,
  limits: breakpointLimits,
  explain: ({ model, cacheKey }) => [
    "Every message keeps its role and place, as an input item.",
    explainBreakpoints(model),
    explainCacheKey(cacheKey),
  ],
});
