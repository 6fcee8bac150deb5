export {
  type RenderedMessage,
  renderMessages,
  type RenderMessagesOptions,
  type SectionStart,
} from "./render-messages.ts";
export {
  renderRequest,
  type RenderedRequest,
  type RenderRequestOptions,
  requestedMapping,
} from "./render-request.ts";
export { RequestWriter, type RequestWriterOptions } from "./request-writer.ts";
export type { WrittenRequest } from "./written-timeline.ts";
export { historyChange } from "./history-change.ts";
export { findMapping, mappingIds } from "./find-mapping.ts";
export type { MappingBodies, MappingName } from "./mapping-bodies.ts";
export type { CacheMark, MappedRequest, Mapping, MappingInput, ModelBlock } from "./mapping.ts";
export { type CacheAnchor, type CacheLimits, type CachePlan, planCacheMarks } from "./cache-marks.ts";
export { aiSdk, type AiSdkBody, type AiSdkMessage, type AiSdkSystemMessage } from "./mappings/ai-sdk.ts";
export {
  anthropicMessages,
  type AnthropicMessage,
  type AnthropicMessagesBody,
  type AnthropicTextBlock,
} from "./mappings/anthropic-messages.ts";
export { gemini, type GeminiBody, type GeminiContent } from "./mappings/gemini.ts";
export { openAiChat, type OpenAiChatBody, type OpenAiChatMessage } from "./mappings/openai-chat.ts";
export {
  openAiCompatible,
  type OpenAiCompatibleBody,
  type OpenAiCompatibleMessage,
} from "./mappings/openai-compatible.ts";
export {
  openAiChatParts,
  type OpenAiChatPartsBody,
  type OpenAiChatPartsMessage,
} from "./mappings/openai-chat-parts.ts";
export {
  openAiResponses,
  type OpenAiInputItem,
  type OpenAiResponsesBody,
} from "./mappings/openai-responses.ts";
export { type ClaudeModel, claudeModel } from "./mappings/claude-models.ts";
export { CLAUDE_LOOK_BACK_BLOCKS, CLAUDE_MAX_MARKS } from "./mappings/claude-cache.ts";
export { matchesAtBreakpoints, OPENAI_MINIMUM_CACHED_TOKENS } from "./mappings/openai-breakpoints.ts";
export { splitJoinedBlocks } from "./split-joined-blocks.ts";
export { escapeLabels, labelText, readLabel, unescapeLabels } from "./labels.ts";
export { protocolLabels, protocolText } from "./protocol.ts";
export { type BodyFormat, detectFormat, possibleFormats } from "./body-format.ts";
export { inOneFormat } from "./in-one-format.ts";
export { type BodyBlock, readBody, type ReadBody } from "./read-body.ts";
export type { MarkKind } from "./read-part.ts";
export {
  compareBodies,
  type PrefixBreak,
  type PrefixVerdict,
  verifyPrefix,
  type VerifyPrefixOptions,
} from "./verify-prefix.ts";
export { type OriginBlock, originAt, type TextOrigin } from "./origin-at.ts";
export { countSharedBlocks, isSameBlock } from "./count-shared-blocks.ts";
export { sharedLength, utf8Length } from "./utf8-length.ts";
export { UnknownMappingError, UnknownProtocolError, UnreadableBodyError } from "./errors.ts";
