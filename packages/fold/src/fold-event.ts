import {
  AGENT_CONFIGURED,
  AGENT_CREATED,
  AGENT_PAUSED,
  AGENT_RESUMED,
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
import { type AgentState, withChanges } from "./agent-state.ts";
import { mergeConfig } from "./merge-config.ts";
import { openRequest, pauseAgent, resumeAgent, settleRequest } from "./request-turn.ts";
import { rewriteContext } from "./rewrite-context.ts";

/**
 * The state after one more event. Pure: time comes from the event, and `state` never changes; an event without
 * effect gives back `state` itself. From outside only messages count, everything else is void.
 */
export function foldEvent(state: AgentState, event: KnownEvent): AgentState {
  if (event.trust === "outside" && event.type !== CONTEXT_ADDED) return state;
  switch (event.type) {
    case AGENT_CREATED:
      return state.created ? state : withChanges(state, { created: true });
    case AGENT_CONFIGURED:
      return withChanges(state, { config: mergeConfig(state.config, event.payload.config) });
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
    case SCRIPT_RUN_SETTLED: {
      const { executionId } = event.payload;
      if (!state.scripts.has(executionId)) return state;
      return withChanges(state, { scripts: state.scripts.delete(executionId) });
    }
  }
}

function reportUsage(state: AgentState, event: EventOf<typeof TOKEN_USAGE_REPORTED>): AgentState {
  const { requestOffset, inputTokens, outputTokens, ...details } = event.payload;
  const total = state.tokenUsage;
  return withChanges(state, {
    tokenUsage: {
      inputTokens: total.inputTokens + inputTokens,
      outputTokens: total.outputTokens + outputTokens,
      cachedInputTokens: total.cachedInputTokens + (details.cachedInputTokens ?? 0),
      cacheWriteTokens: total.cacheWriteTokens + (details.cacheWriteTokens ?? 0),
      reasoningOutputTokens: total.reasoningOutputTokens + (details.reasoningOutputTokens ?? 0),
      latest: { requestOffset, inputTokens, outputTokens },
    },
  });
}

function updateSummary(state: AgentState, event: EventOf<typeof SUMMARY_UPDATED>): AgentState {
  const { title, activity, waitingFor } = event.payload;
  const summary = { ...state.summary };
  for (const [name, value] of Object.entries({ title, activity, waitingFor })) {
    const field = name as keyof typeof summary;
    if (value === null) Reflect.deleteProperty(summary, field);
    else if (value !== undefined) summary[field] = value;
  }
  return withChanges(state, { summary });
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
  return withChanges(state, { scripts: state.scripts.set(executionId, script) });
}
