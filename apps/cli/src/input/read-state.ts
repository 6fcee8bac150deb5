import { type AgentState, foldEvents, initialState, type SkippedEvent } from "@promptfold/fold";
import { UnknownMappingError, UnknownProtocolError } from "@promptfold/renderer";
import {
  NoRecordedCallError,
  OffsetNotFoundError,
  replayCompaction,
  replayCompactionMessages,
  type ReplayedCompaction,
  type ReplayedCompactionMessages,
  type ReplayedMessages,
  replayMessages,
  replayRequest,
  type ReplayedRequest,
  type ReplayedState,
  replayState,
} from "@promptfold/replay";
import { InputError } from "../errors.ts";
import type { EventSource } from "./event-source.ts";
import { findRequests } from "./find-requests.ts";

/** A state, and through which offset it was folded. */
export interface ReadState {
  readonly offset: number;
  readonly state: AgentState;
  /** The first unknown and malformed events; `skippedCount` counts them all. */
  readonly skipped: readonly SkippedEvent[];
  readonly skippedCount: number;
  /** Offset of the kept state that the fold began at; 0 when it began with the stream. */
  readonly replayedFrom: number;
}

/** How many skipped events are listed, as a replay lists them: memory stays bounded whatever a log holds. */
const MAX_LISTED = 1000;

/** Folds a stream through an offset, or whole. @throws InputError when no event stands at the offset */
export async function readState(source: EventSource, at: number | undefined): Promise<ReadState> {
  return at === undefined ? foldWhole(source) : replayThrough(source, at);
}

/** Folds a stream through an offset. @throws InputError when no event stands there */
export async function replayThrough(source: EventSource, at: number): Promise<ReplayedState> {
  try {
    const snapshot = await source.snapshot(at - 1);
    return await replayState((after) => source.pages(after), at, { snapshot });
  } catch (error) {
    throw await describeOffsetError(source, at, error);
  }
}

async function foldWhole(source: EventSource): Promise<ReadState> {
  const start = await source.snapshot();
  const replayedFrom = start?.offset ?? 0;
  let [offset, state] = [replayedFrom, start?.state ?? initialState];
  const skipped = [...(start?.skipped ?? [])];
  let skippedCount = start?.skippedCount ?? 0;
  for await (const page of source.pages(replayedFrom)) {
    const folded = foldEvents(page, { from: state });
    state = folded.state;
    skipped.push(...folded.skipped.slice(0, Math.max(0, MAX_LISTED - skipped.length)));
    skippedCount += folded.skipped.length;
    offset = page.at(-1)?.offset ?? offset;
  }
  return { offset, state, skipped, skippedCount, replayedFrom };
}

/** Rebuilds the request at an offset. @throws InputError when no event stands there */
export async function readRequest(
  source: EventSource,
  at: number,
  { mapping }: { readonly mapping?: string | undefined } = {},
): Promise<ReplayedRequest> {
  try {
    const snapshot = await source.snapshot(at - 1);
    return await replayRequest((after) => source.pages(after), at, {
      stream: source.stream,
      mapping,
      snapshot,
    });
  } catch (error) {
    throw await describeReplayError(source, at, error);
  }
}

/** Rebuilds the messages of the request at an offset, whatever its mapping. @throws InputError as `readRequest` */
export async function readMessages(source: EventSource, at: number): Promise<ReplayedMessages> {
  try {
    const snapshot = await source.snapshot(at - 1);
    return await replayMessages((after) => source.pages(after), at, { snapshot });
  } catch (error) {
    throw await describeReplayError(source, at, error);
  }
}

/** Rebuilds the call that wrote the summary at an offset. @throws InputError when no summary in force tells of one */
export async function readSummaryCall(
  source: EventSource,
  at: number,
  { mapping }: { readonly mapping?: string | undefined } = {},
): Promise<ReplayedCompaction> {
  try {
    const { stream } = source;
    const snapshot = await source.snapshot(at - 1);
    return await replayCompaction((after) => source.pages(after), at, { stream, mapping, snapshot });
  } catch (error) {
    throw await describeSummaryError(source, at, error);
  }
}

/** Rebuilds the messages of that call, whatever its mapping. @throws InputError as `readSummaryCall` */
export async function readSummaryMessages(
  source: EventSource,
  at: number,
): Promise<ReplayedCompactionMessages> {
  try {
    const snapshot = await source.snapshot(at - 1);
    return await replayCompactionMessages((after) => source.pages(after), at, { snapshot });
  } catch (error) {
    throw await describeSummaryError(source, at, error);
  }
}

async function describeSummaryError(source: EventSource, at: number, error: unknown): Promise<unknown> {
  if (!NoRecordedCallError.isInstance(error)) return describeReplayError(source, at, error);
  const { summaries, head } = await findRequests(source.pages());
  const newest = summaries.slice(-5).map((offset) => `@${offset}`);
  const known =
    newest.length === 0
      ? `none does in @1 to @${head}`
      : `${newest.length < summaries.length ? "the newest that do stand" : "those that do stand"} at ${newest.join(", ")}`;
  return new InputError(
    `${source.name}@${at}: no summary in force stands here that tells of the call it came from; ${known}`,
    { cause: error },
  );
}

/** The fault with its place and what helps. A mapping or protocol that is unknown here is one that the stream names. */
async function describeReplayError(source: EventSource, at: number, error: unknown): Promise<unknown> {
  const place = `${source.name}@${at}`;
  if (UnknownMappingError.isInstance(error)) {
    return new InputError(
      `${place}: unknown mapping "${error.mapping}": what stands here asks for it, and this release does not ship it; ` +
        `--format <mapping> shows it under another one (${error.known.join(", ")}), or upgrade`,
      { cause: error },
    );
  }
  if (UnknownProtocolError.isInstance(error)) {
    return new InputError(
      `${place}: unknown protocol "${error.version}": what stands here asks for it, and this release ships ` +
        `${error.known.join(", ")}; upgrade, or see with promptfold state --at ${at} what it was made from`,
      { cause: error },
    );
  }
  return describeOffsetError(source, at, error);
}

/** The offsets of the newest requests, oldest first. @throws InputError when there are fewer */
export async function newestRequests(source: EventSource, count: number): Promise<readonly number[]> {
  const kept = await source.snapshot();
  if (kept !== undefined) {
    const { requests } = await findRequests(source.pages(kept.offset), kept);
    if (requests.length >= count) return requests.slice(-count);
  }
  const { requests, head } = await findRequests(source.pages());
  if (requests.length >= count) return requests.slice(-count);
  const found =
    requests.length === 0 ? "no request was opened" : `only one request was opened, @${requests.join()}`;
  throw new InputError(
    `${source.name}: ${found} in ${head === 0 ? "an empty stream" : `@1 to @${head}`}; ` +
      "name any offset to see what a request there would have been",
  );
}

/** The offset of the newest request before an offset. @throws InputError when there is none */
export async function requestBefore(source: EventSource, offset: number): Promise<number> {
  const kept = await source.snapshot(offset - 1);
  const find = async (from?: typeof kept): Promise<number | undefined> => {
    const { requests } = await findRequests(source.pages(from?.offset ?? 0), from);
    return requests.findLast((each) => each < offset);
  };
  const found = (kept === undefined ? undefined : await find(kept)) ?? (await find());
  if (found !== undefined) return found;
  throw new InputError(
    `${source.name}@${offset}: no request was opened before it; name what to compare it with by --from, any offset`,
  );
}

async function describeOffsetError(source: EventSource, at: number, error: unknown): Promise<unknown> {
  if (!OffsetNotFoundError.isInstance(error)) return error;
  const { requests, head } = await findRequests(source.pages());
  const newest = requests.slice(-5).map((offset) => `@${offset}`);
  const known =
    newest.length === 0 ? "no request was opened" : `the newest requests are ${newest.join(", ")}`;
  const end = head === 0 ? "the stream is empty" : `the stream ends at @${head}, ${known}`;
  return new InputError(`${source.name}@${at}: no event stands there; ${end}`, { cause: error });
}
