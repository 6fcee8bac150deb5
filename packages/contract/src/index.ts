export { CONTRACT_VERSION } from "./version.ts";
export { isSectionKey, RESERVED_KEY, SectionKey } from "./key.ts";
export {
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
export {
  Actor,
  AgentConfiguredPayload,
  AgentCreatedPayload,
  Compaction,
  ContextAddedPayload,
  ContextRewrittenPayload,
  LlmRequestPolicy,
  LlmRequestRequestedPayload,
  LlmRequestSettledPayload,
  Origin,
  PausePayload,
  RequestParameters,
  Role,
  ScriptRunRequestedPayload,
  ScriptRunSettledPayload,
  ScriptSettlement,
  SummaryUpdatedPayload,
  TokenUsageReportedPayload,
} from "./payloads.ts";
export {
  type EventDraft,
  type EventOf,
  type KnownEvent,
  type KnownEventType,
  type PayloadOf,
  payloadSchemas,
  Source,
  StoredEvent,
  Trust,
} from "./event.ts";
export { eventTrust } from "./event-trust.ts";
export { isCompaction } from "./is-compaction.ts";
export { isPlainObject } from "./plain-object.ts";
export { printable } from "./printable.ts";
export { parseEvent, type ParsedEvent, type PayloadIssue } from "./parse-event.ts";
export { AgentConfig, CompactionPolicy, DEFAULT_SCRIPT_RESULT_LIMIT, RetryPolicy } from "./agent-config.ts";
export { ContextItem, MessageItem, RequestItem, SectionItem } from "./context-item.ts";
export {
  AgentSummary,
  OpenRequest,
  PendingTrigger,
  RunningScript,
  SavedAgentState,
  TokenUsage,
} from "./agent-state.ts";
export { Message, MessageOrigin } from "./message.ts";
export { eventJsonSchema, type JsonSchema, payloadJsonSchema } from "./json-schemas.ts";
export { PromptfoldError, type PromptfoldErrorOptions } from "./errors.ts";
