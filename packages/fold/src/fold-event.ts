import {
  AGENT_CONFIGURED,
  AGENT_CREATED,
  AGENT_PAUSED,
  AGENT_RESUMED,
  type AgentSummary,
  CONTEXT_ADDED,
  CONTEXT_REWRITTEN,
  type EventOf,
  type KnownEvent,
  LLM_REQUEST_REQUESTED,
  LLM_REQUEST_SETTLED,
  SCRIPT_RUN_REQUESTED,
  SCRIPT_RUN_SETTLED,
  SUMMARY_UPDATED,
  TOKEN_USAGE_REPORTED,
} from "@promptfold/contract";
import { addContext } from "./add-context.ts";
import { type AgentState, edit } from "./agent-state.ts";
import { mergeConfig } from "./merge-config.ts";
import { openRequest, pauseAgent, resumeAgent, settleRequest } from "./request-turn.ts";
import { rewriteContext } from "./rewrite-context.ts";

const SUMMARY_FIELDS = ["title", "activity", "waitingFor"] as const;

/**
 * The state after one more event. Pure: time comes from the event, and `state` never changes; an event without
 * effect gives back `state` itself. From outside only messages count, everything else is void.
 */
export function foldEvent(state: AgentState, event: KnownEvent): AgentState {
  if (event.trust === "outside" && event.type !== CONTEXT_ADDED) return state;
  switch (event.type) {
    case AGENT_CREATED:
      return createAgent(state);
    case AGENT_CONFIGURED:
      return configureAgent(state, event);
    case CONTEXT_ADDED:
      return addContext(state, event);
    case CONTEXT_REWRITTEN:
      return rewriteContext(state, event);
    case LLM_REQUEST_REQUESTED:
      return openRequest(state, event);
    case LLM_REQUEST_SETTLED:
      return settleRequest(state, event);
    case TOKEN_USAGE_REPORTED:
      return reportUsage(state, event);
    case SUMMARY_UPDATED:
      return updateSummary(state, event);
    case AGENT_PAUSED:
      return pauseAgent(state, event);
    case AGENT_RESUMED:
      return resumeAgent(state, event);
    case SCRIPT_RUN_REQUESTED:
      return startScript(state, event);
    case SCRIPT_RUN_SETTLED:
      return settleScript(state, event);
  }
}

function createAgent(state: AgentState): AgentState {
  if (state.created) return state;
  const next = edit(state);
  next.created = true;
  return next;
}

function configureAgent(state: AgentState, event: EventOf<typeof AGENT_CONFIGURED>): AgentState {
  const config = mergeConfig(state.config, event.payload.config);
  const next = edit(state);
  next.config = config;
  return next;
}

function reportUsage(state: AgentState, event: EventOf<typeof TOKEN_USAGE_REPORTED>): AgentState {
  const { requestOffset, inputTokens, outputTokens, ...details } = event.payload;
  const total = state.tokenUsage;
  const next = edit(state);
  next.tokenUsage = {
    inputTokens: total.inputTokens + inputTokens,
    outputTokens: total.outputTokens + outputTokens,
    cachedInputTokens: total.cachedInputTokens + (details.cachedInputTokens ?? 0),
    cacheWriteTokens: total.cacheWriteTokens + (details.cacheWriteTokens ?? 0),
    reasoningOutputTokens: total.reasoningOutputTokens + (details.reasoningOutputTokens ?? 0),
    latest: { requestOffset, inputTokens, outputTokens },
  };
  return next;
}

function updateSummary(state: AgentState, event: EventOf<typeof SUMMARY_UPDATED>): AgentState {
  const { payload } = event;
  const changes = SUMMARY_FIELDS.some(
    (field) => payload[field] !== undefined && (payload[field] ?? undefined) !== state.summary[field],
  );
  if (!changes) return state;
  const summary: AgentSummary = {};
  for (const field of SUMMARY_FIELDS) {
    const value = payload[field] === undefined ? state.summary[field] : payload[field];
    if (value !== null && value !== undefined) summary[field] = value;
  }
  const next = edit(state);
  next.summary = summary;
  return next;
}

function startScript(state: AgentState, event: EventOf<typeof SCRIPT_RUN_REQUESTED>): AgentState {
  const { executionId, expiresAt } = event.payload;
  if (state.scripts.has(executionId)) return state;
  const script = {
    executionId,
    offset: event.offset,
    requestedAt: event.createdAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  const next = edit(state);
  next.scripts = state.scripts.set(executionId, script);
  return next;
}

function settleScript(state: AgentState, event: EventOf<typeof SCRIPT_RUN_SETTLED>): AgentState {
  const { executionId } = event.payload;
  if (!state.scripts.has(executionId)) return state;
  const next = edit(state);
  next.scripts = state.scripts.delete(executionId);
  return next;
}
