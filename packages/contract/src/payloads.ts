import { z } from "zod";
import {
  CONTEXT_ADDED,
  LLM_REQUEST_REQUESTED,
  SUMMARY_UPDATED,
  TOKEN_USAGE_REPORTED,
} from "./event-types.ts";
import { isPlainObject } from "./plain-object.ts";
import { RESERVED_KEY, SectionKey } from "./key.ts";

/** An optional field: a value the schema does not know counts as absent, so that no message is lost to it. */
function tolerated<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

const offset = z.int().positive();
const tokenCount = z.int().nonnegative();
const text = z.string();

/** Who speaks in a context item. */
export const Role = z.enum(["system", "developer", "user", "assistant"]);
export type Role = z.infer<typeof Role>;

/** Who caused an event: `type` is `user`, `agent`, `script`, `worker`, `platform`, `integration` or another word. */
export const Actor = z.looseObject({ type: z.string() });
export type Actor = z.infer<typeof Actor>;

/** Where authored text came from: file as the author names it, line from 1, hash of the text. */
export const Origin = z.looseObject({ file: text, line: z.int().positive(), hash: text });
export type Origin = z.infer<typeof Origin>;

/** Whether an item asks for a request, and when. */
export const LlmRequestPolicy = z.looseObject({
  behaviour: z.enum(["after-current-request", "dont-trigger-request", "interrupt-current-request"]),
});
export type LlmRequestPolicy = z.infer<typeof LlmRequestPolicy>;

/** Marks a summary that stands for all history through an offset. */
export const Compaction = z.looseObject({ replacesHistoryThrough: z.int().nonnegative() });
export type Compaction = z.infer<typeof Compaction>;

export const AgentCreatedPayload = z.looseObject({});
export type AgentCreatedPayload = z.infer<typeof AgentCreatedPayload>;

/** A patch over the agent's configuration. */
export const AgentConfiguredPayload = z.looseObject({
  config: z.custom<Record<string, unknown>>(isPlainObject, "config is an object"),
});
export type AgentConfiguredPayload = z.infer<typeof AgentConfiguredPayload>;

/** Builds the schema of a context item, reading its optional fields in one of two ways. */
function contextAdded(optional: typeof tolerated) {
  return z
    .looseObject({
      role: Role,
      content: text,
      key: SectionKey.optional(),
      actor: optional(Actor),
      origin: optional(Origin),
      llmRequestPolicy: optional(LlmRequestPolicy),
      llmRequestOffset: optional(offset),
      truncated: optional(z.boolean()),
      compaction: optional(Compaction),
    })
    .refine((payload) => payload.key === undefined || payload.compaction === undefined, {
      error: "a compaction rewrites the whole history and cannot carry a key",
      path: ["compaction"],
    });
}

export const ContextAddedPayload = contextAdded(tolerated);
export type ContextAddedPayload = z.infer<typeof ContextAddedPayload>;

export const ContextRewrittenPayload = z.discriminatedUnion("op", [
  z.looseObject({ op: z.literal("replace"), key: SectionKey, content: text }),
  z.looseObject({
    op: z.literal("delete"),
    key: z.union([z.literal(RESERVED_KEY), SectionKey]),
    content: z.undefined().optional(),
  }),
]);
export type ContextRewrittenPayload = z.infer<typeof ContextRewrittenPayload>;

/** What a model call may be asked for besides its context; unknown parameters are kept. */
export const RequestParameters = z.looseObject({
  maxOutputTokens: tolerated(z.int().positive()),
  thinkingBudget: tolerated(z.int().nonnegative()),
});
export type RequestParameters = z.infer<typeof RequestParameters>;

function llmRequestRequested(optional: typeof tolerated) {
  return z.looseObject({
    model: text,
    contractVersion: optional(text),
    mapping: optional(text),
    protocol: optional(z.union([text, z.number()])),
    parameters: optional(RequestParameters),
    expiresAt: optional(text),
  });
}

export const LlmRequestRequestedPayload = llmRequestRequested(tolerated);
export type LlmRequestRequestedPayload = z.infer<typeof LlmRequestRequestedPayload>;

export const LlmRequestSettledPayload = z.looseObject({
  requestOffset: offset,
  result: z.looseObject({ status: z.enum(["succeeded", "failed", "cancelled"]) }),
});
export type LlmRequestSettledPayload = z.infer<typeof LlmRequestSettledPayload>;

function tokenUsageReported(optional: typeof tolerated) {
  return z.looseObject({
    requestOffset: offset,
    inputTokens: tokenCount,
    outputTokens: tokenCount,
    cachedInputTokens: optional(tokenCount),
    cacheWriteTokens: optional(tokenCount),
    reasoningOutputTokens: optional(tokenCount),
  });
}

/** Tokens as the provider counted them for one request. `cachedInputTokens` are part of `inputTokens`. */
export const TokenUsageReportedPayload = tokenUsageReported(tolerated);
export type TokenUsageReportedPayload = z.infer<typeof TokenUsageReportedPayload>;

function summaryUpdated(optional: typeof tolerated) {
  return z.looseObject({
    title: optional(text.nullable()),
    activity: optional(text.nullable()),
    waitingFor: optional(text.nullable()),
  });
}

export const SummaryUpdatedPayload = summaryUpdated(tolerated);
export type SummaryUpdatedPayload = z.infer<typeof SummaryUpdatedPayload>;

/** Payload of both a pause and a resume. */
export const PausePayload = z.looseObject({ reason: tolerated(text), triggerOffset: tolerated(offset) });
export type PausePayload = z.infer<typeof PausePayload>;

export const ScriptRunRequestedPayload = z.looseObject({
  executionId: text.min(1),
  code: text,
  expiresAt: tolerated(text),
});
export type ScriptRunRequestedPayload = z.infer<typeof ScriptRunRequestedPayload>;

/** How a script ended. `started: false` means that nothing of it ran; `unknown` means that it may have run. */
export const ScriptSettlement = z.discriminatedUnion("status", [
  z.looseObject({ status: z.literal("succeeded"), result: z.unknown().optional() }),
  z.looseObject({ status: z.literal("failed"), error: text, started: tolerated(z.boolean()) }),
  z.looseObject({ status: z.literal("unknown"), error: text }),
]);
export type ScriptSettlement = z.infer<typeof ScriptSettlement>;

export const ScriptRunSettledPayload = z.looseObject({
  executionId: text.min(1),
  settlement: ScriptSettlement,
});
export type ScriptRunSettledPayload = z.infer<typeof ScriptRunSettledPayload>;

/** An optional field without tolerance. Typed as {@link tolerated}: it differs in what it refuses, not in what it gives. */
const strictly = ((schema: z.ZodType) => schema.optional()) as unknown as typeof tolerated;

/** Context items by the fields that need to be looked at; a field that is absent costs as much as one that is there. */
const plainMessagePayload = z.looseObject({ role: Role, content: text });
const plainSectionPayload = z.looseObject({ role: Role, content: text, key: SectionKey });
const plainAnswerPayload = z.looseObject({ role: Role, content: text, llmRequestOffset: offset });
const fullContextAddedPayload = contextAdded(strictly);

/** Chooses a context item's schema: nearly every event of a stream is one, and most have none of the further fields. */
function contextAddedSchema(payload: object): z.ZodType<ContextAddedPayload> {
  // Written out: engines find a member that is named in the code several times faster than one from a list.
  const hasFurtherFields =
    "actor" in payload ||
    "origin" in payload ||
    "llmRequestPolicy" in payload ||
    "truncated" in payload ||
    "compaction" in payload;
  const hasKey = "key" in payload;
  const isAnswer = "llmRequestOffset" in payload;
  if (hasFurtherFields || (hasKey && isAnswer)) return fullContextAddedPayload;
  if (hasKey) return plainSectionPayload;
  return isAnswer ? plainAnswerPayload : plainMessagePayload;
}

const flawlessRequest = llmRequestRequested(strictly);
const flawlessUsage = tokenUsageReported(strictly);
const flawlessSummary = summaryUpdated(strictly);

/**
 * A schema that accepts of what the type's own schema accepts those payloads that need no tolerance, with the same
 * result and in a half to a third of the time; undefined where that gains nothing.
 */
export function flawlessSchema(type: string, payload: unknown): z.ZodType | undefined {
  switch (type) {
    case CONTEXT_ADDED:
      return typeof payload === "object" && payload !== null ? contextAddedSchema(payload) : undefined;
    case LLM_REQUEST_REQUESTED:
      return flawlessRequest;
    case TOKEN_USAGE_REPORTED:
      return flawlessUsage;
    case SUMMARY_UPDATED:
      return flawlessSummary;
    default:
      return undefined;
  }
}
