import { defineMapping } from "../define-mapping.ts";
import type { Mapping } from "../mapping.ts";
import type { MergingLayout } from "../mapping-definition.ts";
import { positiveInteger } from "../parameters.ts";
import { twoRolePlacement } from "./two-role-placement.ts";

/** A text part of Gemini's API. */
export interface GeminiPart {
  readonly text: string;
}

/** One content of Gemini's API. */
export interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: GeminiPart[];
}

/** A request body of Gemini's `generateContent`. The model is no part of it: it stands in the URL. */
export interface GeminiBody {
  readonly systemInstruction: { readonly parts: GeminiPart[] };
  readonly generationConfig?: {
    readonly maxOutputTokens?: number;
    readonly thinkingConfig?: { readonly thinkingBudget: number };
  };
  readonly contents: GeminiContent[];
}

function generationConfig(
  parameters: Readonly<Record<string, unknown>>,
): Pick<GeminiBody, "generationConfig"> {
  const maxOutputTokens = positiveInteger(parameters["maxOutputTokens"]);
  const budget = parameters["thinkingBudget"] === 0 ? 0 : positiveInteger(parameters["thinkingBudget"]);
  if (maxOutputTokens === undefined && budget === undefined) return {};
  return {
    generationConfig: {
      // Thinking counts against the limit: what the answer may take comes on top of it.
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens: maxOutputTokens + (budget ?? 0) }),
      ...(budget === undefined ? {} : { thinkingConfig: { thinkingBudget: budget } }),
    },
  };
}

const layout: MergingLayout<GeminiBody, GeminiContent, GeminiPart> = {
  merges: true,
  head: ({ parameters, standing }) => ({
    systemInstruction: { parts: standing.map(({ text }) => ({ text })) },
    ...generationConfig(parameters),
    contents: [],
  }),
  fill: (head, contents) => ({ ...head, contents }),
  part: (text) => ({ text }),
  // The rules let no other role through.
  entry: (role, parts) => ({ role: role as GeminiContent["role"], parts }),
};

/**
 * Gemini `generateContent`: roles are `user` and `model`, the first content must be the user's, and neighbours of one
 * role are parts of one content. Protocol and standing document are the parts of `systemInstruction`; later system and
 * developer messages are labelled user parts at their place. Caching is implicit, by prefix. `maxOutputTokens` is
 * what the answer may take; a thinking budget comes on top.
 */
export const gemini: Mapping<GeminiBody> = defineMapping<GeminiBody>({
  id: "gemini@1",
  rules: { ...twoRolePlacement, assistant: "model" },
  layout,
  limits: () => undefined,
  explain: () => [
    "The protocol and the standing document are the systemInstruction; nothing later is moved there.",
    "Later system and developer messages are user parts that begin with a label, where they stand.",
    "Neighbours of one role are parts of one content.",
    "No cache marks: the provider caches the longest known prefix by itself.",
  ],
});
