import {
  CONTEXT_ADDED,
  type KnownEvent,
  LLM_REQUEST_SETTLED,
  parseEvent,
  type StoredEvent,
  TOKEN_USAGE_REPORTED,
} from "@promptfold/contract";
import { type AgentState, foldEvent, initialState } from "@promptfold/fold";
import { requestedMapping } from "@promptfold/renderer";

/** A request that was opened, and what its stream tells of it. */
export interface OpenedRequest {
  readonly offset: number;
  /** When it was opened, as its event says. */
  readonly createdAt: string;
  readonly model: string;
  readonly mapping: string;
  readonly contractVersion: string | undefined;
  /** How it ended; `open` where nothing settled it. */
  readonly status: "open" | "succeeded" | "failed" | "cancelled";
  readonly reason: string | undefined;
  /** As the provider reported them; the cached ones are part of the input. */
  readonly inputTokens: number | undefined;
  readonly cachedInputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** For so many requests reports may come late; memory holds no more of them. */
const WAITING = 256;

/**
 * The requests that a stream's events open, oldest first, and not those that were asked for in vain; each with how it ended
 * and what was reported of it. Reads page by page, and of texts it keeps none.
 */
export async function* followRequests(
  pages: AsyncIterable<readonly StoredEvent[]>,
): AsyncGenerator<OpenedRequest, void, void> {
  let state = initialState;
  const waiting = new Map<number, OpenedRequest>();
  for await (const page of pages) {
    for (const stored of page) {
      const parsed = parseEvent(stored);
      if (parsed.kind !== "known") continue;
      const next = foldWithoutTexts(state, parsed.event);
      // What changes nothing is void: from outside, or a settlement of another request.
      if (next !== state) complete(waiting, parsed.event);
      state = next;
      if (state.openRequest?.offset !== stored.offset) continue;
      waiting.set(stored.offset, opened(state, state.openRequest));
      const [oldest] = waiting.values();
      if (waiting.size <= WAITING || oldest === undefined) continue;
      waiting.delete(oldest.offset);
      yield oldest;
    }
  }
  yield* waiting.values();
}

/** The next state but for the texts of its messages, on which nothing depends that opens or ends a request. */
export function foldWithoutTexts(state: AgentState, event: KnownEvent): AgentState {
  if (event.type !== CONTEXT_ADDED) return foldEvent(state, event);
  return foldEvent(state, { ...event, payload: { ...event.payload, content: "" } });
}

function opened(state: AgentState, request: NonNullable<AgentState["openRequest"]>): OpenedRequest {
  const { offset, requestedAt, payload } = request;
  return {
    offset,
    createdAt: requestedAt,
    model: payload.model,
    mapping: requestedMapping(state),
    contractVersion: payload.contractVersion,
    status: "open",
    reason: undefined,
    inputTokens: undefined,
    cachedInputTokens: undefined,
    outputTokens: undefined,
  };
}

function complete(waiting: Map<number, OpenedRequest>, event: KnownEvent): void {
  if (event.type === LLM_REQUEST_SETTLED) {
    const { requestOffset, result } = event.payload;
    const request = waiting.get(requestOffset);
    const reason = typeof result["reason"] === "string" ? result["reason"] : undefined;
    if (request !== undefined) waiting.set(requestOffset, { ...request, status: result.status, reason });
  } else if (event.type === TOKEN_USAGE_REPORTED) {
    const { requestOffset, inputTokens, cachedInputTokens, outputTokens } = event.payload;
    const request = waiting.get(requestOffset);
    if (request === undefined) return;
    waiting.set(requestOffset, { ...request, inputTokens, cachedInputTokens, outputTokens });
  }
}
