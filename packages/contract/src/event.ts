import { z } from "zod";
import {
  AGENT_CONFIGURED,
  AGENT_CREATED,
  AGENT_PAUSED,
  AGENT_RESUMED,
  CONTEXT_ADDED,
  CONTEXT_REWRITTEN,
  LLM_REQUEST_REQUESTED,
  LLM_REQUEST_SETTLED,
  SCRIPT_RUN_REQUESTED,
  SCRIPT_RUN_SETTLED,
  SUMMARY_UPDATED,
  TOKEN_USAGE_REPORTED,
} from "./event-types.ts";
import {
  AgentConfiguredPayload,
  AgentCreatedPayload,
  ContextAddedPayload,
  ContextRewrittenPayload,
  LlmRequestRequestedPayload,
  LlmRequestSettledPayload,
  PausePayload,
  ScriptRunRequestedPayload,
  ScriptRunSettledPayload,
  SummaryUpdatedPayload,
  TokenUsageReportedPayload,
} from "./payloads.ts";

/** Whether text comes from the agent's own side (trusted) or from the world (data, never instructions). */
export const Trust = z.enum(["inside", "outside"]);
export type Trust = z.infer<typeof Trust>;

/** Which processor appended an event, and how far it is trusted. Stamped by the journal handle. */
export const Source = z.looseObject({ processor: z.string(), trust: Trust });
export type Source = z.infer<typeof Source>;

/** An event as a journal stores it. `source` is left unread here: {@link eventTrust} judges it. */
export const StoredEvent = z.looseObject({
  offset: z.int().positive(),
  type: z.string().min(1),
  payload: z.unknown(),
  createdAt: z.string(),
  idempotencyKey: z.string().optional(),
  source: z.unknown().optional(),
});

/** An event as a journal stores it: `offset` counts from 1 in its stream, `createdAt` is ISO 8601 UTC with milliseconds. */
export interface StoredEvent {
  readonly offset: number;
  readonly type: string;
  readonly payload: unknown;
  readonly createdAt: string;
  readonly idempotencyKey?: string;
  readonly source?: Source;
}

/** The payload schema of every known event type. */
export const payloadSchemas = {
  [AGENT_CREATED]: AgentCreatedPayload,
  [AGENT_CONFIGURED]: AgentConfiguredPayload,
  [CONTEXT_ADDED]: ContextAddedPayload,
  [CONTEXT_REWRITTEN]: ContextRewrittenPayload,
  [LLM_REQUEST_REQUESTED]: LlmRequestRequestedPayload,
  [LLM_REQUEST_SETTLED]: LlmRequestSettledPayload,
  [TOKEN_USAGE_REPORTED]: TokenUsageReportedPayload,
  [SUMMARY_UPDATED]: SummaryUpdatedPayload,
  [AGENT_PAUSED]: PausePayload,
  [AGENT_RESUMED]: PausePayload,
  [SCRIPT_RUN_REQUESTED]: ScriptRunRequestedPayload,
  [SCRIPT_RUN_SETTLED]: ScriptRunSettledPayload,
} as const;

/** An event type the contract knows. */
export type KnownEventType = keyof typeof payloadSchemas;

/** The payload of an event type. */
export type PayloadOf<Type extends KnownEventType> = z.infer<(typeof payloadSchemas)[Type]>;

/** A validated event of one type: what the fold accepts. */
export interface EventOf<Type extends KnownEventType> {
  readonly offset: number;
  readonly type: Type;
  readonly payload: PayloadOf<Type>;
  readonly createdAt: string;
  readonly idempotencyKey?: string;
  readonly source?: Source;
  /** Judged once, where the event enters. */
  readonly trust: Trust;
}

/** A validated event of any known type. */
export type KnownEvent = { [Type in KnownEventType]: EventOf<Type> }[KnownEventType];

/** An event to append: a known type with its payload, and the key that makes appending it twice harmless. */
export type EventDraft = {
  [Type in KnownEventType]: {
    readonly type: Type;
    readonly payload: PayloadOf<Type>;
    readonly idempotencyKey?: string;
  };
}[KnownEventType];
