export { renderMessages, type RenderMessagesOptions } from "./render-messages.ts";
export { renderRequest, type RenderedRequest, type RenderRequestOptions } from "./render-request.ts";
export { findMapping, mappingIds } from "./find-mapping.ts";
export type { CacheMark, MappedRequest, Mapping, MappingInput, ModelBlock } from "./mapping.ts";
export { openAiChat, type OpenAiChatBody, type OpenAiChatMessage } from "./mappings/openai-chat.ts";
export { protocolText } from "./protocol.ts";
export { type BodyFormat, detectFormat } from "./body-format.ts";
export { type BodyBlock, readBody, type ReadBody } from "./read-body.ts";
export {
  compareBodies,
  type PrefixBreak,
  type PrefixVerdict,
  verifyPrefix,
  type VerifyPrefixOptions,
} from "./verify-prefix.ts";
export { sharedLength, utf8Length } from "./utf8-length.ts";
export { UnknownMappingError, UnknownProtocolError, UnreadableBodyError } from "./errors.ts";
