import { CONTEXT_ADDED, isCompaction, parseEvent, type StoredEvent } from "@promptfold/contract";
import { askForSummary } from "@promptfold/fold";
import { renderRequest, type RenderedRequest, type RenderRequestOptions } from "@promptfold/renderer";
import { NoRecordedCallError, OffsetNotFoundError } from "./errors.ts";
import { type EventPages, type EventSource, replayState, type ReplayStateOptions } from "./replay-state.ts";

/** A stream that can be read more than once: all its events, or what reads those after an offset. */
export type RereadableEvents = readonly StoredEvent[] | ((after: number) => EventPages);

/** How to replay the call: as for `replayRequest`. */
export interface ReplayCompactionOptions extends ReplayStateOptions, RenderRequestOptions {}

/** The call that a summary came from, rebuilt; its last message is the instruction. */
export interface ReplayedCompaction extends RenderedRequest {
  /** Offset of the summary. */
  readonly offset: number;
  /** Offset of the request that the call repeats. */
  readonly requestOffset: number;
  readonly instruction: string;
  readonly replacesHistoryThrough: number;
}

/**
 * Rebuilds the call that a compaction's summary came from: the request that was measured, and the instruction as its
 * last message, by the same fold and renderer as live. Reads the event at `offset`, then the stream up to it.
 *
 * @throws OffsetNotFoundError (`offset-not-found`), and NoRecordedCallError (`no-recorded-call`) when the event at
 *   `offset` is no summary that says how it was made, or one that the fold does not honour: from outside, or void.
 */
export async function replayCompaction(
  events: RereadableEvents,
  offset: number,
  options: ReplayCompactionOptions = {},
): Promise<ReplayedCompaction> {
  const call = readCall(await eventAt(events, offset));
  if (call === undefined || call.requestOffset >= offset) throw new NoRecordedCallError(offset);
  const { state } = await replayState(events, call.requestOffset, options);
  if (state.openRequest?.offset !== call.requestOffset) throw new NoRecordedCallError(offset);
  const rest = eventsAfter(events, call.requestOffset);
  const { historyChanges } = await replayState(rest, offset, { from: state });
  // Only a summary that took effect is listed: whoever claims one from outside made no call.
  if (historyChanges.at(-1)?.offset !== offset) throw new NoRecordedCallError(offset);
  return { offset, ...call, ...renderRequest(askForSummary(state, call.instruction), options) };
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

/** What a summary says of the call that it came from. */
function readCall(
  event: StoredEvent,
): Pick<ReplayedCompaction, "requestOffset" | "instruction" | "replacesHistoryThrough"> | undefined {
  const parsed = parseEvent(event);
  if (parsed.kind !== "known" || parsed.event.type !== CONTEXT_ADDED) return undefined;
  const { payload } = parsed.event;
  if (!isCompaction(payload)) return undefined;
  const { requestOffset, instruction, replacesHistoryThrough } = payload.compaction;
  if (typeof requestOffset !== "number" || typeof instruction !== "string") return undefined;
  return { requestOffset, instruction, replacesHistoryThrough };
}
