import { isTruncated } from "@promptfold/codemode";
import type { ModelReply } from "../models/model.ts";

/** How providers say that a reply is whole, in lower case: OpenAI and Gemini, Anthropic, Responses, others. */
const COMPLETE: ReadonlySet<string> = new Set([
  "stop",
  "end_turn",
  "completed",
  "complete",
  "eos",
  "eos_token",
]);

/**
 * Why a reply cannot stand for history; undefined for one that can. A finish reason that is not known to mean a whole
 * reply counts as one that was cut off, since a summary replaces what it leaves out; none at all says nothing.
 * `parameters` are those of the call.
 */
export function summaryFault(
  { text, finishReason = "" }: ModelReply,
  parameters: Readonly<Record<string, unknown>> = {},
): string | undefined {
  if (finishReason !== "" && !COMPLETE.has(finishReason.toLowerCase())) {
    const { maxOutputTokens } = parameters;
    const isOwnLimit = isTruncated(finishReason) && typeof maxOutputTokens === "number";
    const remedy = isOwnLimit
      ? `, probably by parameters.maxOutputTokens, ${maxOutputTokens}; a summary needs more`
      : "";
    return `the summary was cut off (${finishReason})${remedy}`;
  }
  return text.trim() === "" ? "the summary is blank" : undefined;
}
