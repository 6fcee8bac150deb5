import { PromptfoldError } from "@promptfold/contract";
import type { CommittedEvent, VerifyOptions, VerifyProblem, VerifyReport } from "./journal.ts";
import { isTime, sourceProblem } from "./prepare-restored.ts";
import type { Store } from "./store.ts";

const PAGE = 1_000;

/** What is known of a stream after its own pass. */
interface Checked {
  readonly count: number;
  readonly head: number;
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
  const head = await store.events.head(stream);
  let previous: CommittedEvent | undefined;
  let count = 0;
  try {
    for (let after = 0, more = true; more;) {
      const page = await store.events.readStream(stream, {
        after,
        through: head,
        types: undefined,
        limit: PAGE,
      });
      for (const event of page.events) {
        verifyEvent(event, previous, keys, report);
        previous = event;
        count += 1;
      }
      ({ next: after, more } = page);
    }
  } catch (error) {
    if (!PromptfoldError.isInstance(error)) throw error;
    report(stream, undefined, `cannot be read further: ${error.message}`);
    return { count, head: previous?.offset ?? 0 };
  }
  if ((previous?.offset ?? 0) !== head) {
    report(stream, previous?.offset, `the last event stands here, but the stream's head is ${String(head)}`);
  }
  return { count, head: previous?.offset ?? 0 };
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
  if (offset <= last) report(stream, offset, `the offset does not ascend: the one before is ${String(last)}`);
  if (!isTime(event.createdAt)) report(stream, offset, `createdAt is not a time: ${event.createdAt}`);
  if (previous !== undefined && event.createdAt < previous.createdAt) {
    report(stream, offset, `createdAt goes back: ${previous.createdAt} comes before ${event.createdAt}`);
  }
  if (previous !== undefined && event.position <= previous.position) {
    report(
      stream,
      offset,
      `the position goes back: ${String(previous.position)} comes before ${String(event.position)}`,
    );
  }
  const wrong = source === undefined ? undefined : sourceProblem(source);
  if (wrong !== undefined) report(stream, offset, `the event ${wrong}`);
  if (key === undefined) return;
  const twin = keys.get(key);
  if (twin !== undefined)
    report(stream, offset, `the idempotency key ${JSON.stringify(key)} stands at ${String(twin)} too`);
  keys.set(key, offset);
}

/** What follows a prefix must give each stream's events, in the stream's order, and none besides. */
async function verifyPositions(
  store: Store,
  streams: ReadonlyMap<string, Checked>,
  report: Report,
): Promise<void> {
  const seen = new Map<string, { offset: number; count: number }>();
  try {
    for (let after = 0, more = true; more;) {
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
  } catch (error) {
    if (!PromptfoldError.isInstance(error)) throw error;
    report(undefined, undefined, `the journal's order cannot be read further: ${error.message}`);
    return;
  }
  for (const [stream, { count }] of streams) {
    const inOrder = seen.get(stream)?.count ?? 0;
    if (inOrder !== count) {
      report(
        stream,
        undefined,
        `holds ${String(count)} events, but ${String(inOrder)} in the journal's order`,
      );
    }
  }
}
