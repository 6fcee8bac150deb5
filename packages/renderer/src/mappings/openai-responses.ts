import type { Role } from "@promptfold/contract";
import { defineMapping } from "../define-mapping.ts";
import type { BodyLayout, Mapping } from "../mapping.ts";
import { positiveInteger } from "../parameters.ts";

/** A text of OpenAI's Responses API, which may end a prefix that is cached. */
export interface OpenAiInputText {
  readonly type: "input_text";
  readonly text: string;
  readonly prompt_cache_breakpoint?: { readonly mode: "explicit" };
}

/** One input item of OpenAI's Responses API. What the assistant said takes a plain string and no breakpoint. */
export type OpenAiInputItem =
  | {
      readonly type: "message";
      readonly role: "user" | "system" | "developer";
      readonly content: OpenAiInputText[];
    }
  | { readonly type: "message"; readonly role: "assistant"; readonly content: string };

/** A request body of OpenAI's Responses API, without transport options such as `stream` and `store`. */
export interface OpenAiResponsesBody {
  readonly model: string;
  readonly max_output_tokens?: number;
  readonly prompt_cache_key?: string;
  readonly prompt_cache_options?: { readonly mode: "explicit" };
  readonly input: OpenAiInputItem[];
}

const layout: BodyLayout<OpenAiResponsesBody, OpenAiInputItem, OpenAiInputText> = {
  merges: false,
  head({ model, parameters, cacheKey }) {
    const maxTokens = positiveInteger(parameters["maxOutputTokens"]);
    return {
      model,
      ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
      ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
      ...(matchesAtBreakpoints(model) ? { prompt_cache_options: { mode: "explicit" } as const } : {}),
      input: [],
    };
  },
  fill: (head, input) => ({ ...head, input }),
  part: (text, mark) => ({
    type: "input_text",
    text,
    ...(mark === undefined ? {} : { prompt_cache_breakpoint: { mode: "explicit" } }),
  }),
  entry: (role, parts) =>
    role === "assistant"
      ? { type: "message", role, content: parts[0]?.text ?? "" }
      : // Roles are never renamed here.
        { type: "message", role: role as Exclude<Role, "assistant">, content: parts },
};

/**
 * Whether a model finds a cached prefix only where a breakpoint stands: GPT-5.6 and every later family. The name may
 * carry a provider's prefix and a variant: `openai/gpt-5.6-mini`.
 */
export function matchesAtBreakpoints(model: string): boolean {
  const version = /(?:^|\/)gpt-(\d{1,3})(?:\.(\d{1,3}))?(?:$|[-:@])/.exec(model);
  if (version === null) return false;
  const major = Number(version[1]);
  return major > 5 || (major === 5 && Number(version[2] ?? 0) >= 6);
}

/**
 * OpenAI Responses: system and developer items are legal at any place, so every message keeps its role and place. The
 * standing document is an input item and not the `instructions` string, so that it can carry a breakpoint. Models
 * that match at breakpoints get up to four explicit ones, and no implicit one beside them, which would be a fifth
 * write near the newest user message. `thinkingBudget` has no counterpart and is ignored.
 */
export const openAiResponses: Mapping<OpenAiResponsesBody> = defineMapping<OpenAiResponsesBody>({
  id: "openai-responses@1",
  rules: {
    standing: "in-place",
    timelineSystem: "native",
    timelineDeveloper: "native",
    assistant: "assistant",
    userFirst: false,
  },
  layout,
  limits: (model) => (matchesAtBreakpoints(model) ? { maxMarks: 4, minimumTokens: 1024 } : undefined),
  explain: ({ model, cacheKey }) => [
    "Every message keeps its role and place, as an input item.",
    matchesAtBreakpoints(model)
      ? "This model finds a cached prefix only at a breakpoint, so breakpoints are set explicitly."
      : "No cache marks: this model finds the longest known prefix by itself.",
    cacheKey === undefined
      ? "No prompt_cache_key: the caller named no stream."
      : "prompt_cache_key is a hash of the stream's name, so that requests of one agent meet the same cache.",
  ],
});
