import { setTimeout as sleep } from "node:timers/promises";
import { JournalStorageError } from "./errors.ts";
import type { CommittedEvent, VerifyOptions, VerifyProblem, VerifyReport } from "./journal.ts";
import { limits } from "./limits.ts";
import { keyProblem, nameProblem, streamNameProblem } from "./names.ts";
import { payloadProblem } from "./prepare-events.ts";
import { isTime, sourceProblem } from "./prepare-restored.ts";
import type { Store } from "./store.ts";

const PAGE = 1_000;

/** How often, and how long apart, to look for the end of appends that hide what comes after them. */
const LOOKS = 20;
const LOOK_MS = 50;

/** What is known of a stream after its own pass. */
interface Checked {
  readonly count: number;
  readonly head: number;
  readonly lastPosition: number;
}

/**
 * Checks every law of the store on what is there: first its files, then each stream in offset order, then everything in
 * position order. Memory holds one page, one stream's keys and one number a stream.
 */
export async function verifyStore(store: Store, { onProgress }: VerifyOptions): Promise<VerifyReport> {
  const problems: VerifyProblem[] = [];
  const report = (stream: string | undefined, offset: number | undefined, message: string): void => {
    problems.push({
      message,
      ...(stream === undefined ? {} : { stream }),
      ...(offset === undefined ? {} : { offset }),
    });
  };
  for (const message of await store.events.integrity()) report(undefined, undefined, message);
  const streams = new Map<string, Checked>();
  let events = 0;
  for (let after = ""; ;) {
    const names = await store.events.streamNames("", after, PAGE);
    for (const name of names) {
      const checked = await verifyStream(store, name, report);
      streams.set(name, checked);
      events += checked.count;
      onProgress?.({ streams: streams.size, events });
    }
    if (names.length < PAGE) break;
    after = names.at(-1) as string;
  }
  await verifyPositions(store, streams, report);
  return { streams: streams.size, events, problems };
}

type Report = (stream: string | undefined, offset: number | undefined, message: string) => void;

async function verifyStream(store: Store, stream: string, report: Report): Promise<Checked> {
  const keys = new Map<string, number>();
  const unfit = streamNameProblem(stream);
  if (unfit !== undefined) report(stream, undefined, `the stream's name ${unfit}`);
  const head = await store.events.head(stream);
  let previous: CommittedEvent | undefined;
  let count = 0;
  let lastPosition = 0;
  try {
    for await (const event of eventsThrough(store, stream, head)) {
      verifyEvent(event, previous, keys, report);
      previous = event;
      count += 1;
      lastPosition = Math.max(lastPosition, event.position);
    }
  } catch (error) {
    report(stream, undefined, `cannot be read further: ${damage(error)}`);
    return { count, head: previous?.offset ?? 0, lastPosition };
  }
  if ((previous?.offset ?? 0) !== head) {
    report(stream, previous?.offset, `the last event stands here, but the stream's head is ${head}`);
  }
  return { count, head: previous?.offset ?? 0, lastPosition };
}

/** The message of an error that says what is wrong with what is stored; every other one, such as of closing, is thrown on. */
function damage(error: unknown): string {
  if (JournalStorageError.isInstance(error) && (error.reason === "corrupt" || error.reason === "failed"))
    return error.message;
  throw error;
}

function verifyEvent(
  event: CommittedEvent,
  previous: CommittedEvent | undefined,
  keys: Map<string, number>,
  report: Report,
): void {
  const { stream, offset, idempotencyKey: key, source } = event;
  const last = previous?.offset ?? 0;
  // A gap is no problem: an import may have left one, and readers go over it.
  if (offset <= last) report(stream, offset, `the offset does not ascend: the one before is ${last}`);
  if (!Number.isSafeInteger(offset) || offset < 1) report(stream, offset, "the offset is not a whole number");
  const badType = nameProblem(event.type, limits.nameBytes);
  if (badType !== undefined) report(stream, offset, `the type ${badType}`);
  const badPayload = payloadProblem(event.payload, event.payloadText);
  if (badPayload !== undefined) report(stream, offset, `the event has ${badPayload}`);
  if (!isTime(event.createdAt)) report(stream, offset, `createdAt is not a time: ${event.createdAt}`);
  if (previous !== undefined && event.createdAt < previous.createdAt) {
    report(stream, offset, `createdAt goes back: ${previous.createdAt} comes before ${event.createdAt}`);
  }
  if (previous !== undefined && event.position <= previous.position) {
    report(stream, offset, `the position goes back: ${previous.position} comes before ${event.position}`);
  }
  const wrong = source === undefined ? undefined : sourceProblem(source);
  if (wrong !== undefined) report(stream, offset, `the event ${wrong}`);
  if (key === undefined) return;
  const badKey = keyProblem(key);
  if (badKey !== undefined) report(stream, offset, `the idempotency key ${badKey}`);
  const twin = keys.get(key);
  if (twin !== undefined)
    report(stream, offset, `the idempotency key ${JSON.stringify(key)} stands at ${twin} too`);
  keys.set(key, offset);
}

/**
 * What follows a prefix must give each stream's events, in the stream's order, and none besides. What stands behind an append
 * on its way is compared once that has ended, or not at all when it does not end for a while.
 */
async function verifyPositions(
  store: Store,
  streams: ReadonlyMap<string, Checked>,
  report: Report,
): Promise<void> {
  const end = lastOf(streams);
  const seen = new Map<string, Seen>();
  let reached: number;
  try {
    reached = await followOrder(store, 0, streams, seen, report);
    for (let look = 0; reached < end && store.events.inCommitOrder !== true && look < LOOKS; look += 1) {
      await sleep(LOOK_MS);
      reached = await followOrder(store, reached, streams, seen, report);
    }
  } catch (error) {
    report(undefined, undefined, `the journal's order cannot be read further: ${damage(error)}`);
    return;
  }
  for (const [stream, checked] of streams) {
    const hidden = checked.lastPosition > reached && store.events.inCommitOrder !== true;
    const count = hidden ? await countThrough(store, stream, checked.head, reached) : checked.count;
    const inOrder = seen.get(stream)?.count ?? 0;
    if (inOrder !== count) {
      report(stream, undefined, `holds ${count} events, but ${inOrder} in the journal's order`);
    }
  }
}

function lastOf(streams: ReadonlyMap<string, Checked>): number {
  let last = 0;
  for (const { lastPosition } of streams.values()) last = Math.max(last, lastPosition);
  return last;
}

/** What was met of a stream in the journal's order. */
interface Seen {
  readonly offset: number;
  readonly count: number;
}

/** Reads the journal's order after a position as far as it is settled; gives the last position that was looked at. */
async function followOrder(
  store: Store,
  from: number,
  streams: ReadonlyMap<string, Checked>,
  seen: Map<string, Seen>,
  report: Report,
): Promise<number> {
  let after = from;
  for (let more = true; more;) {
    const page = await store.events.readPrefix("", { after, limit: PAGE });
    for (const { stream, offset } of page.events) {
      const state = seen.get(stream) ?? { offset: 0, count: 0 };
      // Appends that arrive while this runs lie beyond what the first pass saw.
      if (offset > (streams.get(stream)?.head ?? 0)) continue;
      if (offset <= state.offset)
        report(stream, offset, "stands twice or out of order in the journal's order");
      seen.set(stream, { offset, count: state.count + 1 });
    }
    ({ next: after, more } = page);
  }
  return after;
}

/** How many of a stream's events through `head` stand at or before a position. */
async function countThrough(store: Store, stream: string, head: number, position: number): Promise<number> {
  let count = 0;
  for await (const event of eventsThrough(store, stream, head)) if (event.position <= position) count += 1;
  return count;
}

/** A stream's events through its head, page by page. */
async function* eventsThrough(store: Store, stream: string, head: number): AsyncGenerator<CommittedEvent> {
  for (let after = 0, more = true; more;) {
    const page = await store.events.readStream(stream, {
      after,
      through: head,
      types: undefined,
      limit: PAGE,
    });
    yield* page.events;
    ({ next: after, more } = page);
  }
}
