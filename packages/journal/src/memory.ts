import type { Clock } from "./clock.ts";
import type { CommittedEvent, Scope, Source } from "./journal.ts";
import { MemoryProcessors } from "./memory-processors.ts";
import { compareCodePoints } from "./compare-code-points.ts";
import { admitAppend, batchKeys, fillSlots, planAppend } from "./plan-append.ts";
import { checkRestored, type PreparedRestore } from "./prepare-restored.ts";
import {
  PAGE_BYTES,
  PAGE_SCAN,
  type AppendRequest,
  type EventStore,
  type Page,
  type PreparedEvent,
  type Store,
  type StreamPageRequest,
} from "./store.ts";
import { Watchers } from "./watchers.ts";

/** A row as stored: the payload stays text, so that no reader can change what another one reads. */
type Row = Omit<CommittedEvent, "payload">;

interface Stream {
  readonly rows: Row[];
  readonly byKey: Map<string, Row>;
  lastCreatedAt: string;
}

/** A journal without a file: for tests, and for what need not outlive the process. */
export function createMemoryStore(clock: Clock): Store {
  const processors = new MemoryProcessors(clock);
  return { events: new MemoryEvents(clock, processors), processors, close: () => Promise.resolve() };
}

class MemoryEvents implements EventStore {
  readonly inCommitOrder = true;
  readonly #clock: Clock;
  readonly #processors: MemoryProcessors;
  readonly #watchers = new Watchers();
  readonly #streams = new Map<string, Stream>();
  readonly #all: Row[] = [];

  constructor(clock: Clock, processors: MemoryProcessors) {
    this.#clock = clock;
    this.#processors = processors;
  }

  // Asynchronous like every store, so that a caller cannot come to rely on more than the interface promises.
  // eslint-disable-next-line @typescript-eslint/require-await -- stores are asynchronous, and throw as rejections
  async append(request: AppendRequest): Promise<readonly CommittedEvent[]> {
    const stream = this.#streams.get(request.stream) ?? emptyStream();
    const known = new Map<string, CommittedEvent>();
    for (const { idempotencyKey: key } of request.events) {
      const row = key === undefined ? undefined : stream.byKey.get(key);
      if (key !== undefined && row !== undefined) known.set(key, parseRow(row));
    }
    const plan = planAppend(request.stream, request.events, known);
    if (plan.fresh.length === 0) return fillSlots(plan, []);
    const head = stream.rows.at(-1)?.offset ?? 0;
    const createdAt = admitAppend(request, plan.fresh.length, {
      head,
      lastCreatedAt: stream.lastCreatedAt,
      processors: this.#processors,
      clock: this.#clock,
    });
    const rows = plan.fresh.map((event, index) =>
      this.#insert(request.stream, stream, event, {
        offset: head + 1 + index,
        createdAt,
        source: request.source,
      }),
    );
    this.#watchers.wake(request.stream);
    return fillSlots(plan, rows.map(parseRow));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- stores are asynchronous, and throw as rejections
  async restore(name: string, events: readonly PreparedRestore[], after: number): Promise<void> {
    const stream = this.#streams.get(name) ?? emptyStream();
    const { lastCreatedAt } = stream;
    const head = stream.rows.at(-1)?.offset ?? 0;
    const knownKey = batchKeys(events).find((key) => stream.byKey.has(key));
    checkRestored(name, events, after, { head, lastCreatedAt, knownKey });
    for (const event of events) this.#insert(name, stream, event, event);
    this.#watchers.wake(name);
  }

  #insert(
    name: string,
    stream: Stream,
    event: PreparedEvent,
    given: { readonly offset: number; readonly createdAt: string; readonly source: Source | undefined },
  ): Row {
    const row: Row = {
      stream: name,
      position: this.#all.length + 1,
      offset: given.offset,
      type: event.type,
      payloadText: event.payloadText,
      createdAt: given.createdAt,
      ...(event.idempotencyKey === undefined ? {} : { idempotencyKey: event.idempotencyKey }),
      ...(given.source === undefined ? {} : { source: given.source }),
    };
    this.#streams.set(name, stream);
    this.#all.push(row);
    stream.rows.push(row);
    stream.lastCreatedAt = given.createdAt;
    if (event.idempotencyKey !== undefined) stream.byKey.set(event.idempotencyKey, row);
    return row;
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- stores are asynchronous, and throw as rejections
  async readStream(name: string, request: StreamPageRequest): Promise<Page> {
    const rows = this.#streams.get(name)?.rows ?? [];
    const types = request.types === undefined ? undefined : new Set(request.types);
    const start = firstAbove(rows, "offset", request.after);
    return page(rows, start, "offset", request.after, request.limit, (row) => {
      if (row.offset > request.through) return "end";
      return types === undefined || types.has(row.type) ? "take" : "skip";
    });
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- stores are asynchronous, and throw as rejections
  async readPrefix(
    prefix: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<Page> {
    const start = firstAbove(this.#all, "position", after);
    return page(this.#all, start, "position", after, limit, (row) =>
      row.stream.startsWith(prefix) ? "take" : "skip",
    );
  }

  head(stream: string): Promise<number> {
    return Promise.resolve(this.#streams.get(stream)?.rows.at(-1)?.offset ?? 0);
  }

  streamNames(prefix: string, after: string, limit: number): Promise<readonly string[]> {
    const names = [...this.#streams.keys()].filter(
      (name) => name.startsWith(prefix) && compareCodePoints(name, after) > 0,
    );
    return Promise.resolve(names.sort(compareCodePoints).slice(0, limit));
  }

  watch(scope: Scope, wake: () => void): () => void {
    return this.#watchers.add(scope, wake);
  }

  integrity(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}

function emptyStream(): Stream {
  return { rows: [], byKey: new Map(), lastCreatedAt: "" };
}

function parseRow(row: Row): CommittedEvent {
  return { ...row, payload: JSON.parse(row.payloadText) as unknown };
}

/** The index of the first row whose number is above the cursor, by bisection: offsets may have gaps. */
function firstAbove(rows: readonly Row[], field: "offset" | "position", cursor: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as Row)[field] > cursor) high = middle;
    else low = middle + 1;
  }
  return low;
}

function page(
  rows: readonly Row[],
  start: number,
  field: "offset" | "position",
  after: number,
  limit: number,
  judge: (row: Row) => "take" | "skip" | "end",
): Page {
  const events: CommittedEvent[] = [];
  let length = 0;
  let next = after;
  for (let index = start; index < rows.length; index += 1) {
    const row = rows[index] as Row;
    const verdict = judge(row);
    if (verdict === "end") return { events, next, more: false };
    if (events.length >= limit || length >= PAGE_BYTES || index - start >= PAGE_SCAN) {
      return { events, next, more: true };
    }
    next = row[field];
    if (verdict === "skip") continue;
    length += row.payloadText.length;
    events.push(parseRow(row));
  }
  return { events, next, more: false };
}
