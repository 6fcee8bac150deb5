import { CONTEXT_ADDED, isCompaction, parseEvent, type StoredEvent } from "@promptfold/contract";
import { type AgentState, askForSummary } from "@promptfold/fold";
import {
  renderMessages,
  type RenderMessagesOptions,
  renderRequest,
  type RenderRequestOptions,
  requestedMapping,
} from "@promptfold/renderer";
import { NoRecordedCallError, OffsetNotFoundError } from "./errors.ts";
import { labelled, type ReplayedMessages, type ReplayedRequest } from "./replay-request.ts";
import {
  type EventPages,
  type EventSource,
  type ReplayedState,
  replayState,
  type ReplayStateOptions,
} from "./replay-state.ts";

/** A stream that can be read more than once: all its events, or what reads those after an offset. */
export type RereadableEvents = readonly StoredEvent[] | ((after: number) => EventPages);

/** How to replay the call: as for `replayRequest`. */
export interface ReplayCompactionOptions extends ReplayStateOptions, RenderRequestOptions {}

/** How to replay the call's messages alone: as for `replayMessages`. */
export interface ReplayCompactionMessagesOptions extends ReplayStateOptions, RenderMessagesOptions {}

/** What a summary says of the call that it came from. */
export interface RecordedCall {
  /** Offset of the summary. */
  readonly offset: number;
  /** Offset of the request that the call repeats. */
  readonly requestOffset: number;
  readonly instruction: string;
  readonly replacesHistoryThrough: number;
}

/**
 * The call that a summary came from, rebuilt; its last message is the instruction. What else there is to know (`state`,
 * `contractVersion`, `reconstructed`, `skipped`, `historyChanges`, …) is that of the request which it repeats.
 */
export interface ReplayedCompaction extends RecordedCall, Omit<ReplayedRequest, "offset"> {}

/** The messages of such a call; `mapping` is the one that the request asks for, whether this release ships it or not. */
export interface ReplayedCompactionMessages extends RecordedCall, Omit<ReplayedMessages, "offset"> {}

/**
 * Rebuilds the call that a compaction's summary came from: the request that was measured, and the instruction as its
 * last message, by the same fold and renderer as live. Reads the event at `offset`, then the stream up to it.
 *
 * @throws OffsetNotFoundError (`offset-not-found`), and NoRecordedCallError (`no-recorded-call`) when the event at
 *   `offset` is no summary that says how it was made, or one that the fold does not honour: from outside, or void; else
 *   as `replayRequest`.
 */
export async function replayCompaction(
  events: RereadableEvents,
  offset: number,
  options: ReplayCompactionOptions = {},
): Promise<ReplayedCompaction> {
  const { asked, ...replayed } = await replayCall(events, offset, options);
  return { ...replayed, ...renderRequest(asked, options) };
}

/**
 * Rebuilds the messages of that call alone. They are the same under every mapping, so they can be read of a call too
 * that was made under a mapping which this release does not ship.
 *
 * @throws OffsetNotFoundError (`offset-not-found`), NoRecordedCallError (`no-recorded-call`) as `replayCompaction`, and
 *   UnknownProtocolError (`unknown-protocol`).
 */
export async function replayCompactionMessages(
  events: RereadableEvents,
  offset: number,
  options: ReplayCompactionMessagesOptions = {},
): Promise<ReplayedCompactionMessages> {
  const { asked, ...replayed } = await replayCall(events, offset, options);
  return { ...replayed, messages: renderMessages(asked, options), mapping: requestedMapping(asked) };
}

/** What both have in common; `asked` is the state that the call is rendered from. */
async function replayCall(
  events: RereadableEvents,
  offset: number,
  options: ReplayStateOptions,
): Promise<Omit<ReplayedCompactionMessages, "messages" | "mapping"> & { readonly asked: AgentState }> {
  const call = readCall(await eventAt(events, offset));
  if (call === undefined || call.requestOffset >= offset) throw new NoRecordedCallError(offset);
  const replayed = labelled(await replayMeasured(events, call, options));
  const { state } = replayed;
  if (!replayed.opened) throw new NoRecordedCallError(offset);
  const rest = eventsAfter(events, call.requestOffset);
  const { historyChanges } = await replayState(rest, offset, { from: state });
  // Only a summary that took effect is listed: whoever claims one from outside made no call.
  if (historyChanges.at(-1)?.offset !== offset) throw new NoRecordedCallError(offset);
  return { ...replayed, ...call, asked: askForSummary(state, call.instruction) };
}

/** The request that a summary names. A payload may name an offset at which nothing stands. */
async function replayMeasured(
  events: RereadableEvents,
  { offset, requestOffset }: RecordedCall,
  options: ReplayStateOptions,
): Promise<ReplayedState> {
  try {
    return await replayState(events, requestOffset, options);
  } catch (error) {
    throw OffsetNotFoundError.isInstance(error) ? new NoRecordedCallError(offset, { cause: error }) : error;
  }
}

function eventsAfter(events: RereadableEvents, offset: number): EventSource {
  return typeof events === "function" ? events(offset) : events.filter((event) => event.offset > offset);
}

async function eventAt(events: RereadableEvents, offset: number): Promise<StoredEvent> {
  let newest = 0;
  const pages = typeof events === "function" ? events(offset - 1) : events;
  for await (const page of Symbol.asyncIterator in pages ? pages : [pages]) {
    for (const event of page) {
      if (event.offset === offset) return event;
      newest = event.offset;
      if (newest > offset) throw new OffsetNotFoundError(offset, newest);
    }
  }
  throw new OffsetNotFoundError(offset, newest);
}

function readCall(event: StoredEvent): RecordedCall | undefined {
  const parsed = parseEvent(event);
  if (parsed.kind !== "known" || parsed.event.type !== CONTEXT_ADDED) return undefined;
  const { payload } = parsed.event;
  if (!isCompaction(payload)) return undefined;
  const { requestOffset, instruction, replacesHistoryThrough } = payload.compaction;
  if (typeof requestOffset !== "number" || typeof instruction !== "string") return undefined;
  return { offset: event.offset, requestOffset, instruction, replacesHistoryThrough };
}
