import { CONTRACT_VERSION, LLM_REQUEST_REQUESTED, type Message } from "@promptfold/contract";
import type { AgentState, SkippedEvent } from "@promptfold/fold";
import { renderRequest, type RenderedRequest, type RenderRequestOptions } from "@promptfold/renderer";
import {
  type EventSource,
  type HistoryChange,
  replayState,
  type ReplayStateOptions,
} from "./replay-state.ts";

/** How to replay: where to begin, and what to render instead of what the request itself asked for. */
export interface ReplayRequestOptions extends ReplayStateOptions, RenderRequestOptions {}

/** A past request, rebuilt. */
export interface ReplayedRequest {
  readonly offset: number;
  /** Whether the event at `offset` opened a request; false means that this is only the state so far. */
  readonly opened: boolean;
  /** Whether the event at `offset` asked for a request and opened none. */
  readonly guarded: boolean;
  readonly messages: readonly Message[];
  readonly request: RenderedRequest;
  readonly body: unknown;
  /** The contract version that the request was made under, where its event says so. */
  readonly contractVersion: string | undefined;
  /** True when these bytes were made by another contract version than the current one, or by an unknown one. */
  readonly reconstructed: boolean;
  /** Unknown and malformed events, up to a bounded number of them; `skippedCount` counts all that were read. */
  readonly skipped: readonly SkippedEvent[];
  readonly skippedCount: number;
  readonly historyChanges: readonly HistoryChange[];
  /** Offset of the snapshot that the replay began at; 0 when it began with the stream. */
  readonly replayedFrom: number;
  readonly state: AgentState;
}

/**
 * Rebuilds the request at an offset from a stream's events: the same fold and the same renderer as live. Mapping,
 * protocol, model and parameters are the request's own, unless options say otherwise.
 *
 * @throws OffsetNotFoundError (`offset-not-found`), UnknownMappingError (`unknown-mapping`) and
 *   UnknownProtocolError (`unknown-protocol`).
 */
export async function replayRequest(
  events: EventSource,
  offset: number,
  options: ReplayRequestOptions = {},
): Promise<ReplayedRequest> {
  const replayed = await replayState(events, offset, options);
  const { state, event, skipped, skippedCount, historyChanges, replayedFrom } = replayed;
  const request = renderRequest(state, options);
  const opened = state.openRequest?.offset === offset;
  const contractVersion = opened ? state.openRequest.payload.contractVersion : undefined;
  return {
    offset,
    opened,
    guarded: event.type === LLM_REQUEST_REQUESTED && !opened,
    messages: request.messages,
    request,
    body: request.body,
    contractVersion,
    reconstructed: contractVersion !== CONTRACT_VERSION,
    skipped,
    skippedCount,
    historyChanges,
    replayedFrom,
    state,
  };
}
