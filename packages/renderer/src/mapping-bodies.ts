import type { AiSdkBody } from "./mappings/ai-sdk.ts";
import type { AnthropicMessagesBody } from "./mappings/anthropic-messages.ts";
import type { GeminiBody } from "./mappings/gemini.ts";
import type { OpenAiChatBody } from "./mappings/openai-chat.ts";
import type { OpenAiChatPartsBody } from "./mappings/openai-chat-parts.ts";
import type { OpenAiCompatibleBody } from "./mappings/openai-compatible.ts";
import type { OpenAiResponsesBody } from "./mappings/openai-responses.ts";

/** The body that each released mapping makes; a name alone stands for its newest version. */
export interface MappingBodies {
  "openai-chat@1": OpenAiChatBody;
  "openai-chat@2": OpenAiChatPartsBody;
  "openai-chat": OpenAiChatPartsBody;
  "openai-compatible@1": OpenAiCompatibleBody;
  "openai-compatible": OpenAiCompatibleBody;
  "openai-responses@1": OpenAiResponsesBody;
  "openai-responses": OpenAiResponsesBody;
  "anthropic-messages@1": AnthropicMessagesBody;
  "anthropic-messages": AnthropicMessagesBody;
  "gemini@1": GeminiBody;
  gemini: GeminiBody;
  "ai-sdk@1": AiSdkBody;
  "ai-sdk": AiSdkBody;
}

/** A mapping that this release ships, by name and version or by name alone. */
export type MappingName = keyof MappingBodies;
