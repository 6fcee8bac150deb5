import {
  AGENT_PAUSED,
  AGENT_RESUMED,
  type AgentConfig,
  CONTRACT_VERSION,
  type EventOf,
  LLM_REQUEST_REQUESTED,
  type PendingTrigger,
} from "@promptfold/contract";
import { agentConfig } from "./agent-config.ts";
import type { AgentState } from "./agent-state.ts";

type TurnEventType = typeof LLM_REQUEST_REQUESTED | typeof AGENT_PAUSED | typeof AGENT_RESUMED;

/** An event that the turn loop should append, and when: `dueAt` is ISO 8601 UTC; without it, now. */
export type PlannedAppend = {
  [Type in TurnEventType]: {
    readonly type: Type;
    readonly payload: EventOf<Type>["payload"];
    readonly idempotencyKey: string;
    readonly dueAt?: string;
  };
}[TurnEventType];

/**
 * What the turn loop should append next, derived from the state alone, so that every process plans the same event
 * under the same key. Nothing before `agent/created`, without a trigger or with a request open; a pause when the
 * agent's own loop has used up its turns; a resume when external input waits behind a pause; else the request, due
 * after the debounce and the backoff. A paused agent's own trigger waits for a resume.
 */
export function planTurn(state: AgentState): PlannedAppend[] {
  const trigger = state.pendingTrigger;
  if (!state.created || state.openRequest !== null || trigger === null) return [];
  const config = agentConfig(state);
  if (trigger.source === "agent-loop" && state.autonomousTurnCount >= config.maxAutonomousTurns) {
    const payload = { reason: "autonomous turn limit", triggerOffset: trigger.offset };
    return [{ type: AGENT_PAUSED, payload, idempotencyKey: `pause/${trigger.offset}` }];
  }
  if (state.paused) {
    if (trigger.source === "agent-loop") return [];
    const payload = { triggerOffset: trigger.offset };
    return [{ type: AGENT_RESUMED, payload, idempotencyKey: `resume/${trigger.offset}` }];
  }
  return [planRequest(trigger, config, state.consecutiveLlmFailures)];
}

function planRequest(trigger: PendingTrigger, config: AgentConfig, failures: number): PlannedAppend {
  const expiresAt = addMilliseconds(trigger.at, config.llmRequestExpiryMs);
  const dueAt = addMilliseconds(trigger.at, config.llmRequestDebounceMs + backoffMs(config, failures));
  return {
    type: LLM_REQUEST_REQUESTED,
    payload: {
      model: config.model,
      contractVersion: CONTRACT_VERSION,
      mapping: config.mapping,
      protocol: config.protocol,
      parameters: config.parameters,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    },
    idempotencyKey: `request/${trigger.offset}`,
    ...(dueAt === undefined ? {} : { dueAt }),
  };
}

/** Base, doubling with each further failure, capped. */
function backoffMs(config: AgentConfig, failures: number): number {
  if (failures === 0) return 0;
  const { backoffBaseMs, backoffMaxMs } = config.llmRequestRetryPolicy;
  return Math.min(backoffBaseMs * 2 ** (failures - 1), backoffMaxMs);
}

/** The last time that a date can hold. */
const END_OF_CALENDAR = 8.64e15;

/** A later time, at most the end of the calendar; undefined where an imported time cannot be read. */
function addMilliseconds(at: string, milliseconds: number): string | undefined {
  const start = Date.parse(at);
  if (Number.isNaN(start)) return undefined;
  return new Date(Math.min(start + milliseconds, END_OF_CALENDAR)).toISOString();
}
