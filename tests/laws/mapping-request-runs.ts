import { CONTEXT_ADDED, parseEvent, type StoredEvent } from "@promptfold/contract";
import { type AgentState, foldEvent, initialState } from "@promptfold/fold";

/** The states right after each opened request, in runs between which history was not rewritten or compacted. */
export function requestRuns(events: readonly StoredEvent[]): AgentState[][] {
  const runs: AgentState[][] = [[]];
  let state = initialState;
  for (const stored of events) {
    const parsed = parseEvent(stored);
    if (parsed.kind !== "known") continue;
    const next = foldEvent(state, parsed.event);
    if (next !== state && changesHistory(parsed.event.type, stored.payload)) runs.push([]);
    if (next.openRequest !== null && state.openRequest === null) runs.at(-1)?.push(next);
    state = next;
  }
  return runs;
}

function changesHistory(type: string, payload: unknown): boolean {
  if (type !== CONTEXT_ADDED) return type.endsWith("context-rewritten");
  const { role, compaction } = payload as { role: string; compaction?: unknown };
  return compaction !== undefined && role === "developer";
}
