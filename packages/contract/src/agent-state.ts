import { z } from "zod";
import { ContextItem } from "./context-item.ts";
import { LLM_REQUEST_REQUESTED } from "./event-types.ts";
import { isFlawless } from "./flawless-payload.ts";
import type { LlmRequestRequestedPayload } from "./payloads.ts";
import { isPlainObject } from "./plain-object.ts";

const offset = z.int().positive();
const mark = z.int().nonnegative();
const count = z.int().nonnegative();
/** A sum of counts, which may be more than a safe integer. */
const sum = z.number().nonnegative();

/** What asks for the next request: its offset, its time, and whether the world or the agent's own loop asks. */
export const PendingTrigger = z.object({
  offset,
  at: z.string(),
  source: z.enum(["external", "agent-loop"]),
});
export type PendingTrigger = z.infer<typeof PendingTrigger>;

/** A request in flight, as its event asked for it. */
export const OpenRequest = z.object({
  offset,
  requestedAt: z.string(),
  /** Kept as it is, like the payloads of items. */
  payload: z.custom<LlmRequestRequestedPayload>(
    (value) => isFlawless(LLM_REQUEST_REQUESTED, value),
    "an open request holds the payload of its event",
  ),
});
export type OpenRequest = z.infer<typeof OpenRequest>;

/** A script that was requested and is not settled. */
export const RunningScript = z.object({
  executionId: z.string(),
  offset,
  requestedAt: z.string(),
  expiresAt: z.string().optional(),
});
export type RunningScript = z.infer<typeof RunningScript>;

/** Tokens summed over every usage report, and the newest report's request with its input size. */
export const TokenUsage = z.object({
  inputTokens: sum,
  outputTokens: sum,
  cachedInputTokens: sum,
  cacheWriteTokens: sum,
  reasoningOutputTokens: sum,
  latest: z.object({ requestOffset: offset, inputTokens: count, outputTokens: count }).nullable(),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

/** What the agent says about itself, for display. */
export const AgentSummary = z.object({
  title: z.string().optional(),
  activity: z.string().optional(),
  waitingFor: z.string().optional(),
});
export type AgentSummary = z.infer<typeof AgentSummary>;

/** An agent's folded state as plain JSON: what a snapshot holds. */
export const SavedAgentState = z.object({
  created: z.boolean(),
  /** Everything through this offset was sent, or stands for what was. */
  sentThrough: mark,
  /** Offset of the newest external input. */
  externalThrough: mark,
  pendingTrigger: PendingTrigger.nullable(),
  openRequest: OpenRequest.nullable(),
  paused: z.boolean(),
  autonomousTurnCount: count,
  consecutiveLlmFailures: count,
  /** The merged patches, without defaults. */
  config: z.custom<Record<string, unknown>>(isPlainObject, "config is an object"),
  tokenUsage: TokenUsage,
  scripts: z.array(RunningScript),
  summary: AgentSummary,
  items: z.array(ContextItem),
});
export type SavedAgentState = z.infer<typeof SavedAgentState>;
