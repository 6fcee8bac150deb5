export { renderMessages, type RenderMessagesOptions } from "./render-messages.ts";
export { renderRequest, type RenderedRequest, type RenderRequestOptions } from "./render-request.ts";
export { findMapping, mappingIds } from "./find-mapping.ts";
export type { CacheMark, MappedRequest, Mapping, MappingInput, ModelBlock } from "./mapping.ts";
export { openAiChat, type OpenAiChatBody, type OpenAiChatMessage } from "./mappings/openai-chat.ts";
export { protocolText } from "./protocol.ts";
export { UnknownMappingError, UnknownProtocolError } from "./errors.ts";
