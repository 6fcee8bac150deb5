import { parseEvent, type StoredEvent } from "@promptfold/contract";
import { type AgentState, foldEvent, initialState } from "@promptfold/fold";

/** What a stream holds, for those who look for an offset in it. */
export interface StreamOutline {
  /** Offset of the last event; 0 for none. */
  readonly head: number;
  /** Offsets of the requests that were opened. */
  readonly requests: readonly number[];
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
  for await (const page of pages) {
    for (const stored of page) {
      head = stored.offset;
      const parsed = parseEvent(stored);
      if (parsed.kind !== "known") continue;
      state = foldEvent(state, parsed.event);
      if (state.openRequest?.offset === stored.offset) requests.push(stored.offset);
    }
  }
  return { head, requests };
}
