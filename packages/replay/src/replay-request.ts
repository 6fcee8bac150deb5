import { CONTRACT_VERSION, LLM_REQUEST_REQUESTED, type Message } from "@promptfold/contract";
import {
  type RenderedRequest,
  renderMessages,
  type RenderMessagesOptions,
  renderRequest,
  type RenderRequestOptions,
  requestedMapping,
} from "@promptfold/renderer";
import {
  type EventSource,
  type ReplayedState,
  replayState,
  type ReplayStateOptions,
} from "./replay-state.ts";

/** How to replay messages: where to begin, and which protocol's text to use instead of the request's own. */
export interface ReplayMessagesOptions extends ReplayStateOptions, RenderMessagesOptions {}

/** The messages of a past request, the state that they were rendered from, and what was noticed on the way. */
export interface ReplayedMessages extends Omit<ReplayedState, "event"> {
  readonly messages: readonly Message[];
  /** Name and version of the mapping that the request asks for, whether this release ships it or not. */
  readonly mapping: string;
  /** Whether the event at `offset` opened a request; false means that this is only the state so far. */
  readonly opened: boolean;
  /** Whether the event at `offset` asked for a request and opened none. */
  readonly guarded: boolean;
  /** The contract version that the request was made under, where its event says so. */
  readonly contractVersion: string | undefined;
  /** True when these bytes were made by another contract version than the current one, or by an unknown one. */
  readonly reconstructed: boolean;
}

/** How to replay: where to begin, and what to render instead of what the request itself asked for. */
export interface ReplayRequestOptions extends ReplayStateOptions, RenderRequestOptions {}

/** A past request, rebuilt; `mapping` is the one that made the body. */
export interface ReplayedRequest extends RenderedRequest, Omit<ReplayedMessages, "messages" | "mapping"> {}

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
  const replayed = labelled(await replayState(events, offset, options));
  return { ...replayed, ...renderRequest(replayed.state, options) };
}

/**
 * Rebuilds the messages of the request at an offset alone. They are the same under every mapping, so they can be read
 * of a request too that was made under a mapping which this release does not ship.
 *
 * @throws OffsetNotFoundError (`offset-not-found`) and UnknownProtocolError (`unknown-protocol`).
 */
export async function replayMessages(
  events: EventSource,
  offset: number,
  options: ReplayMessagesOptions = {},
): Promise<ReplayedMessages> {
  const replayed = labelled(await replayState(events, offset, options));
  const { state } = replayed;
  return { ...replayed, messages: renderMessages(state, options), mapping: requestedMapping(state) };
}

/** A replayed state with what there is to know of the event at its offset. */
export function labelled({
  event,
  ...replayed
}: ReplayedState): Omit<ReplayedMessages, "messages" | "mapping"> {
  const { offset, state } = replayed;
  const { openRequest } = state;
  const opened = openRequest?.offset === offset;
  const contractVersion = opened ? openRequest.payload.contractVersion : undefined;
  return {
    ...replayed,
    opened,
    guarded: event.type === LLM_REQUEST_REQUESTED && !opened,
    contractVersion,
    reconstructed: contractVersion !== CONTRACT_VERSION,
  };
}
