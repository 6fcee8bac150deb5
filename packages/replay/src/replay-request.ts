import { CONTRACT_VERSION, LLM_REQUEST_REQUESTED } from "@promptfold/contract";
import { renderRequest, type RenderedRequest, type RenderRequestOptions } from "@promptfold/renderer";
import {
  type EventSource,
  type ReplayedState,
  replayState,
  type ReplayStateOptions,
} from "./replay-state.ts";

/** How to replay: where to begin, and what to render instead of what the request itself asked for. */
export interface ReplayRequestOptions extends ReplayStateOptions, RenderRequestOptions {}

/** A past request, rebuilt: what was rendered, the state that it was rendered from, and what was noticed on the way. */
export interface ReplayedRequest extends RenderedRequest, Omit<ReplayedState, "event"> {
  /** Whether the event at `offset` opened a request; false means that this is only the state so far. */
  readonly opened: boolean;
  /** Whether the event at `offset` asked for a request and opened none. */
  readonly guarded: boolean;
  /** The contract version that the request was made under, where its event says so. */
  readonly contractVersion: string | undefined;
  /** True when these bytes were made by another contract version than the current one, or by an unknown one. */
  readonly reconstructed: boolean;
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
  const { event, ...replayed } = await replayState(events, offset, options);
  const { openRequest } = replayed.state;
  const opened = openRequest?.offset === offset;
  const contractVersion = opened ? openRequest.payload.contractVersion : undefined;
  return {
    ...replayed,
    ...renderRequest(replayed.state, options),
    opened,
    guarded: event.type === LLM_REQUEST_REQUESTED && !opened,
    contractVersion,
    reconstructed: contractVersion !== CONTRACT_VERSION,
  };
}
