import {
  type CONTEXT_ADDED,
  type ContextAddedPayload,
  type EventOf,
  isCompaction,
  type MessageItem,
  type SectionItem,
} from "@promptfold/contract";
import { type AgentState, edit, latestSection } from "./agent-state.ts";
import { compactContext } from "./compact-context.ts";

type ContextAdded = EventOf<typeof CONTEXT_ADDED>;

/**
 * Adds a message or a section. From outside only plain messages count; output that names another request than the
 * open one is void. Re-adding a key is the update: in place before it was sent, at the end afterwards.
 */
export function addContext(state: AgentState, event: ContextAdded): AgentState {
  const { payload } = event;
  if (event.trust === "outside" && isForInsideOnly(payload)) return state;
  if (payload.llmRequestOffset !== undefined && payload.llmRequestOffset !== state.openRequest?.offset) {
    return state;
  }
  if (isCompaction(payload)) return compactContext(state, event, payload.compaction.replacesHistoryThrough);
  if (payload.key !== undefined) return addSection(state, event.offset, payload.key, payload);
  return addMessage(state, event);
}

function isForInsideOnly(payload: ContextAddedPayload): boolean {
  return (
    payload.key !== undefined || payload.compaction !== undefined || payload.llmRequestOffset !== undefined
  );
}

/** Places a section: over its un-sent latest occurrence, else at the end, naming the sent occurrence it updates. */
export function addSection(
  state: AgentState,
  offset: number,
  key: string,
  payload: ContextAddedPayload,
): AgentState {
  const latest = latestSection(state, key);
  const next = edit(state);
  const isUnsent = latest !== undefined && latest.offset > state.sentThrough;
  const supersedes = isUnsent ? latest.supersedes : latest?.offset;
  const item: SectionItem =
    supersedes === undefined
      ? { kind: "section", offset, key, payload }
      : { kind: "section", offset, key, supersedes, payload };
  if (isUnsent) {
    next.items = state.items.replace(state.latestPositions.get(key, 0), item);
    return next;
  }
  next.latestPositions = state.latestPositions.set(key, state.items.length);
  next.items = state.items.append(item);
  return next;
}

function addMessage(state: AgentState, event: ContextAdded): AgentState {
  const { offset, payload } = event;
  const outside = event.trust === "outside";
  const item: MessageItem = outside
    ? { kind: "message", offset, payload, outside }
    : { kind: "message", offset, payload };
  const next = edit(state);
  next.items = state.items.append(item);
  if (!isTrigger(payload)) return next;
  const isExternal = payload.role === "user" || outside;
  next.pendingTrigger = { offset, at: event.createdAt, source: isExternal ? "external" : "agent-loop" };
  if (!isExternal) return next;
  next.externalThrough = offset;
  next.autonomousTurnCount = 0;
  next.consecutiveLlmFailures = 0;
  return next;
}

function isTrigger(payload: ContextAddedPayload): boolean {
  return (
    (payload.role === "user" || payload.role === "developer") &&
    // A summary never triggers, also where it is not honoured as one.
    payload.compaction === undefined &&
    payload.llmRequestPolicy?.behaviour !== "dont-trigger-request"
  );
}
