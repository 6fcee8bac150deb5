export { parseCodemodeReply } from "./parse-codemode-reply.ts";
export { parseCodemodeStream, type StreamedReply, type StreamOptions } from "./parse-codemode-stream.ts";
export { parseFencedReply } from "./parse-fenced-reply.ts";
export type { ParsedReply, ProseReply, RejectedReply, ReplyOptions, ScriptReply } from "./reply.ts";
export { formatDuration } from "./format-duration.ts";
export { InvalidDurationError } from "./invalid-duration-error.ts";
export { isTruncated } from "./is-truncated.ts";
export {
  type ConsoleOutput,
  renderSettlement,
  type RenderedSettlement,
  type RenderSettlementOptions,
  resultText,
  type ResultText,
} from "./render-settlement.ts";
