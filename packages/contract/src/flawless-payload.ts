import { z } from "zod";
import {
  CONTEXT_ADDED,
  LLM_REQUEST_REQUESTED,
  LLM_REQUEST_SETTLED,
  SUMMARY_UPDATED,
  TOKEN_USAGE_REPORTED,
} from "./event-types.ts";
import { SectionKey } from "./key.ts";
import {
  contextAdded,
  llmRequestRequested,
  LlmRequestSettledPayload,
  Role,
  summaryUpdated,
  tokenUsageReported,
  type tolerated,
} from "./payloads.ts";

/** A check of payloads: code that zod generates when the first one comes, where the platform lets code be generated. */
function checkOf(build: () => z.ZodType): (payload: unknown) => boolean {
  let schema: z.ZodType | undefined;
  return (payload) => z.validate((schema ??= z.compile(build())), payload);
}

/** An optional field without tolerance. Typed as {@link tolerated}: it differs in what it refuses, not in what it gives. */
const strictly = ((schema: z.ZodType) => schema.optional()) as unknown as typeof tolerated;

const item = { role: Role, content: z.string() };
const isMessage = checkOf(() => z.looseObject(item));
const isSection = checkOf(() => z.looseObject({ ...item, key: SectionKey }));
const isAnswer = checkOf(() => z.looseObject({ ...item, llmRequestOffset: z.int().positive() }));
const isContextItem = checkOf(() => contextAdded(strictly));
const isRequest = checkOf(() => llmRequestRequested(strictly));
const isSettlement = checkOf(() => LlmRequestSettledPayload);
const isUsage = checkOf(() => tokenUsageReported(strictly));
const isSummary = checkOf(() => summaryUpdated(strictly));

/**
 * Whether a payload is valid in every field, so that its type's schema would give back an equal one. Such a payload needs
 * no copy, and asking costs a fraction of parsing. False also means that this type has no such shorter way.
 */
export function isFlawless(type: string, payload: unknown): boolean {
  switch (type) {
    case CONTEXT_ADDED:
      return typeof payload === "object" && payload !== null && isFlawlessItem(payload);
    case LLM_REQUEST_REQUESTED:
      return isRequest(payload);
    case LLM_REQUEST_SETTLED:
      return isSettlement(payload);
    case TOKEN_USAGE_REPORTED:
      return isUsage(payload);
    case SUMMARY_UPDATED:
      return isSummary(payload);
    default:
      return false;
  }
}

/** Nearly every event of a stream is a context item, and most have no optional fields: an absent one costs as much as another. */
function isFlawlessItem(payload: object): boolean {
  // Written out: engines find a member that is named in the code several times faster than one from a list.
  const hasFurtherFields =
    "actor" in payload ||
    "origin" in payload ||
    "llmRequestPolicy" in payload ||
    "truncated" in payload ||
    "compaction" in payload;
  const hasKey = "key" in payload;
  const hasRequest = "llmRequestOffset" in payload;
  if (hasFurtherFields || (hasKey && hasRequest)) return isContextItem(payload);
  if (hasKey) return isSection(payload);
  return hasRequest ? isAnswer(payload) : isMessage(payload);
}
