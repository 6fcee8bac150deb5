import { z } from "zod";
import { isPlainObject } from "./plain-object.ts";
import { RESERVED_KEY, SectionKey } from "./key.ts";

/** An optional field: a value the schema does not know counts as absent, so that no message is lost to it. */
export function tolerated<T extends z.ZodType>(schema: T) {
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
export function contextAdded(optional: typeof tolerated) {
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

function requestParameters(optional: typeof tolerated) {
  return z.looseObject({
    maxOutputTokens: optional(z.int().positive()),
    thinkingBudget: optional(z.int().nonnegative()),
  });
}

/** What a model call may be asked for besides its context; unknown parameters are kept. */
export const RequestParameters = requestParameters(tolerated);
export type RequestParameters = z.infer<typeof RequestParameters>;

export function llmRequestRequested(optional: typeof tolerated) {
  return z.looseObject({
    model: text,
    contractVersion: optional(text),
    mapping: optional(text),
    protocol: optional(z.union([text, z.number()])),
    parameters: optional(requestParameters(optional)),
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

export function tokenUsageReported(optional: typeof tolerated) {
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

export function summaryUpdated(optional: typeof tolerated) {
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
