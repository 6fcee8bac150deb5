import {
  CONTEXT_ADDED,
  isCompaction,
  type KnownEvent,
  parseEvent,
  type StoredEvent,
} from "@promptfold/contract";
import { type AgentState, initialState } from "@promptfold/fold";
import { foldWithoutTexts } from "./follow-requests.ts";

/** What a stream holds, for those who look for an offset in it. */
export interface StreamOutline {
  /** Offset of the last event; 0 for none. */
  readonly head: number;
  /** Offsets of the requests that were opened. */
  readonly requests: readonly number[];
  /** Offsets of the summaries that took effect and tell of the call they came from. */
  readonly summaries: readonly number[];
}

/**
 * Finds the requests among events: those that the fold opens, not those that were asked for in vain. `from` is where the
 * events begin: the stream's beginning unless given.
 */
export async function findRequests(
  pages: AsyncIterable<readonly StoredEvent[]>,
  from: { readonly state: AgentState; readonly offset: number } = { state: initialState, offset: 0 },
): Promise<StreamOutline> {
  let state = from.state;
  let head = from.offset;
  const requests: number[] = [];
  const summaries: number[] = [];
  for await (const page of pages) {
    for (const stored of page) {
      head = stored.offset;
      const parsed = parseEvent(stored);
      if (parsed.kind !== "known") continue;
      const next = foldWithoutTexts(state, parsed.event);
      if (next !== state && recordsCall(parsed.event)) summaries.push(stored.offset);
      state = next;
      if (state.openRequest?.offset === stored.offset) requests.push(stored.offset);
    }
  }
  return { head, requests, summaries };
}

function recordsCall(event: KnownEvent): boolean {
  if (event.type !== CONTEXT_ADDED || !isCompaction(event.payload)) return false;
  const { requestOffset, instruction } = event.payload.compaction;
  return typeof requestOffset === "number" && typeof instruction === "string";
}
