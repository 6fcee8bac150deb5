import { parseEvent, type StoredEvent } from "@promptfold/contract";
import { foldEvent, initialState } from "@promptfold/fold";

/** What a stream holds, for those who look for an offset in it. */
export interface StreamOutline {
  /** Offset of the last event; 0 for none. */
  readonly head: number;
  /** Offsets of the requests that were opened. */
  readonly requests: readonly number[];
}

/** Finds the requests of a stream: those that the fold opens, not those that were asked for in vain. */
export async function findRequests(pages: AsyncIterable<readonly StoredEvent[]>): Promise<StreamOutline> {
  let state = initialState;
  let head = 0;
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
