import { parseEvent, type StoredEvent } from "@promptfold/contract";
import { type AgentState, beginBatch, endBatch, initialState } from "./agent-state.ts";
import { foldEvent } from "./fold-event.ts";
import { type SkippedEvent, skippedEvent } from "./skipped-event.ts";

/** Where a fold begins and ends. */
export interface FoldOptions {
  /** Fold only events at or below this offset. */
  readonly through?: number | undefined;
  /** The state to continue from; a fresh agent by default. */
  readonly from?: AgentState | undefined;
}

/**
 * Folds stored events, in stream order, into a state. Linear in their number. Unknown and malformed events are
 * skipped and reported, never thrown. The state holds their payloads, not copies: an event that was folded must not change.
 */
export function foldEvents(
  storedEvents: Iterable<StoredEvent>,
  { through = Infinity, from = initialState }: FoldOptions = {},
): { readonly state: AgentState; readonly skipped: readonly SkippedEvent[] } {
  let state = beginBatch(from);
  const skipped: SkippedEvent[] = [];
  for (const stored of storedEvents) {
    if (stored.offset > through) continue;
    const parsed = parseEvent(stored);
    if (parsed.kind === "known") state = foldEvent(state, parsed.event);
    else skipped.push(skippedEvent(parsed));
  }
  return { state: endBatch(state), skipped };
}
