import { defineMapping } from "../define-mapping.ts";
import type { CacheMark, Mapping } from "../mapping.ts";
import type { SeparateLayout } from "../mapping-definition.ts";
import { positiveInteger } from "../parameters.ts";
import { type AnthropicCacheControl, cacheControl, claudeCacheLimits } from "./claude-cache.ts";
import { twoRolePlacement } from "./two-role-placement.ts";

/** What a provider behind the AI SDK is asked for beside a message. */
// A type and not an interface, which the SDK's index signature would not take.
export type AiSdkProviderOptions = {
  readonly anthropic: { readonly cacheControl: AnthropicCacheControl };
};

/** A system message of the AI SDK. */
export interface AiSdkSystemMessage {
  readonly role: "system";
  readonly content: string;
  readonly providerOptions?: AiSdkProviderOptions;
}

/** A text part of the AI SDK. */
export interface AiSdkTextPart {
  readonly type: "text";
  readonly text: string;
  readonly providerOptions?: AiSdkProviderOptions;
}

/** A message of the AI SDK (`ModelMessage`): parts from the start, so that its shape never changes. */
export interface AiSdkMessage {
  readonly role: "user" | "assistant";
  readonly content: AiSdkTextPart[];
}

/** The prompt and settings of an AI SDK call: spread into `generateText` or `streamText`. */
export interface AiSdkBody {
  readonly model: string;
  readonly maxOutputTokens?: number;
  readonly system: AiSdkSystemMessage[];
  readonly messages: AiSdkMessage[];
}

function providerOptions(mark: CacheMark): AiSdkProviderOptions {
  return { anthropic: { cacheControl: cacheControl(mark) } };
}

function systemMessage(content: string, mark: CacheMark | undefined): AiSdkSystemMessage {
  if (mark === undefined) return { role: "system", content };
  return { role: "system", content, providerOptions: providerOptions(mark) };
}

function textPart(text: string, mark: CacheMark | undefined): AiSdkTextPart {
  return mark === undefined
    ? { type: "text", text }
    : { type: "text", text, providerOptions: providerOptions(mark) };
}

const layout: SeparateLayout<AiSdkBody, AiSdkMessage> = {
  merges: false,
  head({ model, parameters, standing }) {
    const maxOutputTokens = positiveInteger(parameters["maxOutputTokens"]);
    return {
      model,
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      system: standing.map(({ text, mark }) => systemMessage(text, mark)),
      messages: [],
    };
  },
  fill: (head, messages) => ({ ...head, messages }),
  entry: (role, text, mark) => ({
    // The rules let no other role through.
    role: role as AiSdkMessage["role"],
    content: [textPart(text, mark)],
  }),
};

/**
 * AI SDK `ModelMessage[]`, for any provider behind it: protocol and standing document are the list of system messages,
 * which the SDK takes apart from `messages`; a system message among those is warned of or refused, and there is no
 * developer role, so both are labelled user messages at their place. Messages are not merged: the SDK does that where
 * the provider needs it, and elsewhere a message of one text part keeps one form on the wire. Cache marks are those of
 * Anthropic, which other providers do not read.
 */
export const aiSdk: Mapping<AiSdkBody> = defineMapping<AiSdkBody>({
  id: "ai-sdk@1",
  rules: twoRolePlacement,
  layout,
  limits: claudeCacheLimits,
  explain: () => [
    "The protocol and the standing document are the SDK's system messages; nothing later is moved there.",
    "Later system and developer messages are user messages that begin with a label, where they stand.",
    "Cache marks are provider options that Anthropic reads and others ignore.",
  ],
});
