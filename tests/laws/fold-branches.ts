import {
  CONTEXT_ADDED,
  CONTEXT_REWRITTEN,
  type ContextAddedPayload,
  isCompaction,
  LLM_REQUEST_REQUESTED,
  parseEvent,
  type StoredEvent,
} from "@promptfold/contract";
import { type AgentState, foldEvent, initialState, latestSection } from "@promptfold/fold";
import type { Coverage } from "./coverage.ts";

/** The branches of the fold that a generator must reach, or its properties prove little. */
export const foldBranches = [
  "coalesce",
  "supersede",
  "guard",
  "rewrite",
  "compaction",
  "void",
  "skipped",
  "outside message",
  "three and more opened requests",
] as const;

type Branch = (typeof foldBranches)[number];

/** Folds one stream and notes which branches that took. */
export function noteBranches(events: readonly StoredEvent[], coverage: Coverage<Branch>): void {
  let state = initialState;
  let opened = 0;
  for (const stored of events) {
    const parsed = parseEvent(stored);
    if (parsed.kind !== "known") {
      coverage.hit("skipped");
      continue;
    }
    const next = foldEvent(state, parsed.event);
    if (parsed.event.type === LLM_REQUEST_REQUESTED) {
      if (next === state) coverage.hit("guard");
      else opened++;
    } else if (parsed.event.type === CONTEXT_REWRITTEN) {
      coverage.hit("rewrite", next !== state);
    } else if (parsed.event.type === CONTEXT_ADDED) {
      const branch = contextBranch(state, next, parsed.event.payload, parsed.event.trust);
      if (branch !== undefined) coverage.hit(branch);
    }
    state = next;
  }
  coverage.hit("three and more opened requests", opened >= 3);
}

function contextBranch(
  before: AgentState,
  after: AgentState,
  payload: ContextAddedPayload,
  trust: string,
): Branch | undefined {
  if (after === before) return "void";
  if (isCompaction(payload)) return "compaction";
  if (payload.key === undefined) return trust === "outside" ? "outside message" : undefined;
  if (after.items.length === before.items.length) return "coalesce";
  return latestSection(after, payload.key)?.supersedes === undefined ? undefined : "supersede";
}
