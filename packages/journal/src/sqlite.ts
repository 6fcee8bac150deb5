import type { Clock } from "./clock.ts";
import { CommitPoller } from "./commit-poller.ts";
import type { CommittedEvent, Scope } from "./journal.ts";
import { prefixEnd } from "./names.ts";
import { parsePayload } from "./parse-payload.ts";
import { admitAppend, batchKeys, fillSlots, planAppend } from "./plan-append.ts";
import { checkRestored, type PreparedRestore } from "./prepare-restored.ts";
import { SourceTexts } from "./source-texts.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { SqliteProcessors } from "./sqlite-processors.ts";
import { missingDefinitions } from "./sqlite-schema.ts";
import type { SqliteValue } from "./sqlite-driver.ts";
import type { BoundRow, EventRow, SqliteStatements } from "./sqlite-statements.ts";
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
import { toCommitted } from "./to-committed.ts";
import { Watchers } from "./watchers.ts";

/** How the SQLite store opens a file. */
export interface SqliteOptions {
  readonly clock: Clock;
  readonly leaseClock: Clock;
  readonly pollIntervalMs?: number | undefined;
  readonly busyTimeoutMs?: number | undefined;
  /** Default true. */
  readonly create?: boolean | undefined;
}

/** Opens a journal in one SQLite file, which the processes of one machine share. Throws `JournalStorageError`. */
export async function openSqliteStore(path: string, options: SqliteOptions): Promise<Store> {
  const connection = await SqliteConnection.open(path, {
    busyTimeoutMs: options.busyTimeoutMs ?? 10_000,
    create: options.create ?? true,
  });
  const processors = new SqliteProcessors(connection, options.leaseClock);
  const events = new SqliteEvents(connection, processors, options);
  return {
    events,
    processors,
    async close() {
      events.stopWatching();
      await connection.close();
    },
  };
}

/** Id, head and last time of a stream that nothing was appended to. */
const NO_STREAM = [undefined, 0, ""] as const;

class SqliteEvents implements EventStore {
  readonly inCommitOrder = true;
  readonly #connection: SqliteConnection;
  readonly #sql: SqliteStatements;
  readonly #processors: SqliteProcessors;
  readonly #clock: Clock;
  readonly #watchers = new Watchers();
  readonly #poller: CommitPoller;
  readonly #sources = new SourceTexts();

  constructor(connection: SqliteConnection, processors: SqliteProcessors, options: SqliteOptions) {
    this.#connection = connection;
    this.#processors = processors;
    this.#clock = options.clock;
    const { sql } = connection;
    this.#sql = sql;
    this.#poller = new CommitPoller(
      {
        version: () => sql.dataVersion.get()?.data_version ?? 0,
        lastPosition: () => sql.lastPosition.get()?.position ?? 0,
        streamsAfter: (position, limit) => sql.streamsAfter.all(position, limit),
      },
      this.#watchers,
      options.pollIntervalMs ?? 1,
    );
  }

  async append(request: AppendRequest): Promise<readonly CommittedEvent[]> {
    const events = await this.#connection.write(() => this.#appendNow(request), request.stream);
    this.#watchers.wake(request.stream);
    return events;
  }

  #appendNow(request: AppendRequest): readonly CommittedEvent[] {
    const { stream } = request;
    const [id, head, lastCreatedAt] = this.#sql.stream.get(stream) ?? NO_STREAM;
    const plan = planAppend(stream, request.events, this.#committedByKey(stream, id, request.events));
    if (plan.fresh.length === 0) return fillSlots(plan, []);
    const createdAt = admitAppend(request, plan.fresh.length, {
      head,
      lastCreatedAt,
      processors: this.#processors,
      clock: this.#clock,
    });
    const streamId = id ?? this.#sql.insertStream.run(stream).lastInsertRowid;
    return fillSlots(plan, this.#insertFresh(request, plan.fresh, { id: streamId, head, createdAt }));
  }

  #insertFresh(
    { stream, source }: AppendRequest,
    fresh: readonly PreparedEvent[],
    { id, head, createdAt }: { readonly id: number; readonly head: number; readonly createdAt: string },
  ): CommittedEvent[] {
    const sourceText = this.#sources.textOf(source);
    const positions = this.#insert(fresh.length, (values, index) => {
      bindEvent(values, id, head + 1 + index, createdAt, sourceText, fresh[index] as PreparedEvent);
    });
    return fresh.map(({ type, payload, payloadText, idempotencyKey }, index) =>
      toCommitted({
        stream,
        position: positions[index] as number,
        offset: head + 1 + index,
        type,
        payload,
        payloadText,
        createdAt,
        idempotencyKey,
        source,
      }),
    );
  }

  #committedByKey(
    stream: string,
    id: number | undefined,
    events: readonly PreparedEvent[],
  ): Map<string, CommittedEvent> {
    const keys = id === undefined ? [] : batchKeys(events);
    if (id === undefined || keys.length === 0) return new Map();
    const rows = this.#sql.eventsByKey.all(JSON.stringify(keys), id);
    return new Map(rows.map((row) => [row.idempotency_key as string, this.#toEvent(row, stream)]));
  }

  /** Inserts so many events, whose values `bind` appends by index, and gives their positions. */
  #insert(count: number, bind: (values: SqliteValue[], index: number) => void): number[] {
    const positions: number[] = [];
    let from = 0;
    for (const { rows, statement } of this.#sql.insertEvents) {
      for (; count - from >= rows; from += rows) {
        const values: SqliteValue[] = [];
        for (let row = from; row < from + rows; row += 1) bind(values, row);
        const last = statement.insert(values);
        // Nobody else inserts meanwhile, so the rows of one statement are numbered one after another.
        for (let row = 1; row <= rows; row += 1) positions.push(last - rows + row);
      }
    }
    return positions;
  }

  async restore(stream: string, events: readonly PreparedRestore[], after: number): Promise<void> {
    await this.#connection.write(() => {
      const [known, head, lastCreatedAt] = this.#sql.stream.get(stream) ?? NO_STREAM;
      const knownKey = this.#committedByKey(stream, known, events).keys().next().value;
      checkRestored(stream, events, after, { head, lastCreatedAt, knownKey });
      const id = known ?? this.#sql.insertStream.run(stream).lastInsertRowid;
      this.#insert(events.length, (values, index) => {
        const event = events[index] as PreparedRestore;
        const { offset, createdAt, source } = event;
        const sourceText = source === undefined ? null : this.#sources.textOf(source);
        bindEvent(values, id, offset, createdAt, sourceText, event);
      });
    }, stream);
    this.#watchers.wake(stream);
  }

  readStream(stream: string, { after, through, types, limit }: StreamPageRequest): Promise<Page> {
    return this.#connection.read(() => {
      const [id] = this.#sql.streamId.get(stream) ?? NO_STREAM;
      if (id === undefined) return { events: [], next: after, more: false };
      const end = Math.min(through, Number.MAX_SAFE_INTEGER);
      const wanted = types === undefined ? undefined : JSON.stringify(types);
      const scan = types === undefined ? limit : PAGE_SCAN;
      const bound = this.#streamBound(id, after, end, limit, scan, wanted);
      return this.#page(bound, scan, after, (last) => {
        const rows =
          wanted === undefined
            ? this.#sql.streamRows.all(id, after, last)
            : this.#sql.streamRowsByType.all(id, after, last, wanted);
        return rows.map((row) => this.#toEvent(row, stream));
      });
    });
  }

  #streamBound(
    id: number,
    after: number,
    end: number,
    limit: number,
    scan: number,
    wanted: string | undefined,
  ): BoundRow | undefined {
    const range = [limit, PAGE_BYTES, id, after, end, scan] as const;
    if (wanted !== undefined) return this.#sql.streamBoundByType.get(...range, wanted);
    // Mostly a page's payloads are small, and their sum, which is cheap, says so.
    const size = this.#sql.streamSize.get(id, after, end, scan);
    return (size?.bytes ?? 0) <= PAGE_BYTES ? size : this.#sql.streamBound.get(...range);
  }

  readPrefix(
    prefix: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<Page> {
    return this.#connection.read(() => {
      const end = prefixEnd(prefix);
      const bounds = this.#sql.prefixBound.all(limit, PAGE_BYTES, prefix, end, after, PAGE_SCAN);
      return this.#page(bounds[0], PAGE_SCAN, after, (last) =>
        this.#sql.prefixRows.all(after, last, prefix, end).map((row) => this.#toEvent(row, row.stream)),
      );
    });
  }

  #page(
    bound: BoundRow | undefined,
    scan: number,
    after: number,
    fetch: (last: number) => CommittedEvent[],
  ): Page {
    if (bound?.last == null) return { events: [], next: after, more: false };
    const more = bound.fitting < bound.scanned || bound.scanned === scan;
    return { events: fetch(bound.last), next: bound.last, more };
  }

  #toEvent(row: EventRow, stream: string): CommittedEvent {
    return toCommitted({
      stream,
      position: row.position,
      offset: row.offset,
      type: row.type,
      payload: parsePayload(row.payload, stream, row.offset),
      payloadText: row.payload,
      createdAt: row.created_at,
      idempotencyKey: row.idempotency_key,
      source: row.source === null ? undefined : this.#sources.sourceOf(row.source, stream, row.offset),
    });
  }

  head(stream: string): Promise<number> {
    return this.#connection.read(() => (this.#sql.stream.get(stream) ?? NO_STREAM)[1]);
  }

  streamNames(prefix: string, after: string, limit: number): Promise<readonly string[]> {
    return this.#connection.read(() =>
      this.#sql.streamNames.all(prefix, prefixEnd(prefix), after, limit).map(({ name }) => name),
    );
  }

  async integrity(): Promise<readonly string[]> {
    const damage = await this.#connection.read(() => this.#sql.integrity.all());
    const messages = damage.map(({ message }) => message).filter((message) => message !== "ok");
    if (messages.length > 0) return messages;
    const [strays, others, definitions] = await this.#connection.read(() => [
      this.#sql.strays.all(),
      this.#sql.otherFaults.all(),
      this.#sql.definitions.all(),
    ]);
    return [
      ...missingDefinitions(definitions.map(({ name }) => name)),
      ...strays.map(({ position, problem }) => `the event at position ${position} ${problem}`),
      ...others.map(({ problem }) => problem),
    ];
  }

  stopWatching(): void {
    this.#poller.stop();
  }

  watch(scope: Scope, wake: () => void): () => void {
    const unwatch = this.#watchers.add(scope, wake);
    this.#poller.start();
    return () => {
      unwatch();
      if (this.#watchers.size === 0) this.#poller.stop();
    };
  }
}

function bindEvent(
  values: SqliteValue[],
  id: number,
  offset: number,
  createdAt: string,
  sourceText: string | null,
  { payloadBytes, type, idempotencyKey, payloadText }: PreparedEvent,
): void {
  values.push(id, offset, payloadBytes, type, createdAt, idempotencyKey ?? null, sourceText, payloadText);
}
