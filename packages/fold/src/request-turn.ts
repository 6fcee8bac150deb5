import type {
  AGENT_PAUSED,
  AGENT_RESUMED,
  EventOf,
  LLM_REQUEST_REQUESTED,
  LLM_REQUEST_SETTLED,
} from "@promptfold/contract";
import { agentConfig } from "./agent-config.ts";
import { type AgentState, edit } from "./agent-state.ts";

/**
 * Opens a request if a trigger is pending, none is open and the agent is not paused: its stamp joins the context and
 * everything so far counts as sent. Otherwise the event changes nothing.
 */
export function openRequest(state: AgentState, event: EventOf<typeof LLM_REQUEST_REQUESTED>): AgentState {
  const trigger = state.pendingTrigger;
  if (trigger === null || state.openRequest !== null || state.paused) return state;
  const { offset, createdAt, payload } = event;
  const next = edit(state);
  next.items = state.items.append({ kind: "request", offset, requestedAt: createdAt });
  next.sentThrough = Math.max(state.sentThrough, offset);
  next.pendingTrigger = null;
  next.openRequest = { offset, requestedAt: createdAt, payload };
  if (trigger.source === "agent-loop") next.autonomousTurnCount = state.autonomousTurnCount + 1;
  return next;
}

/**
 * Closes the open request; a settlement of any other changes nothing. A failure below `maxAttempts` is itself the
 * next trigger unless one is pending; success ends the streak; a cancellation is not a failure.
 */
export function settleRequest(state: AgentState, event: EventOf<typeof LLM_REQUEST_SETTLED>): AgentState {
  const { requestOffset, result } = event.payload;
  if (state.openRequest?.offset !== requestOffset) return state;
  const next = edit(state);
  next.openRequest = null;
  if (result.status === "succeeded") next.consecutiveLlmFailures = 0;
  if (result.status !== "failed") return next;
  next.consecutiveLlmFailures = state.consecutiveLlmFailures + 1;
  const retries = next.consecutiveLlmFailures < agentConfig(next).llmRequestRetryPolicy.maxAttempts;
  if (retries) next.pendingTrigger ??= { offset: event.offset, at: event.createdAt, source: "agent-loop" };
  return next;
}

/** Pauses the agent and drops an agent-loop trigger. Void when newer external input has crossed the pause. */
export function pauseAgent(state: AgentState, event: EventOf<typeof AGENT_PAUSED>): AgentState {
  const { triggerOffset } = event.payload;
  if (triggerOffset !== undefined && triggerOffset < state.externalThrough) return state;
  const dropsTrigger = state.pendingTrigger?.source === "agent-loop";
  if (state.paused && !dropsTrigger) return state;
  const next = edit(state);
  next.paused = true;
  if (dropsTrigger) next.pendingTrigger = null;
  return next;
}

/**
 * Resumes the agent with a fresh autonomous budget. A pending trigger takes the resume's offset and time, so that
 * its request gets a key that was never used.
 */
export function resumeAgent(state: AgentState, event: EventOf<typeof AGENT_RESUMED>): AgentState {
  const { pendingTrigger } = state;
  const next = edit(state);
  next.paused = false;
  next.autonomousTurnCount = 0;
  if (pendingTrigger !== null)
    next.pendingTrigger = { ...pendingTrigger, offset: event.offset, at: event.createdAt };
  return next;
}
