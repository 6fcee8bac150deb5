import type { Clock } from "./clock.ts";
import { CommitPoller } from "./commit-poller.ts";
import { LeaseLostError, OffsetConflictError } from "./errors.ts";
import type { CommittedEvent, Scope } from "./journal.ts";
import { prefixEnd } from "./names.ts";
import { parsePayload } from "./parse-payload.ts";
import { batchKeys, fillSlots, planAppend } from "./plan-append.ts";
import { checkRestored, type PreparedRestore } from "./prepare-restored.ts";
import { SourceTexts } from "./source-texts.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { SqliteProcessors } from "./sqlite-processors.ts";
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
  readonly pollIntervalMs?: number;
  readonly busyTimeoutMs?: number;
}

/** Opens a journal in one SQLite file, which the processes of one machine share. Throws `JournalStorageError`. */
export async function openSqliteStore(path: string, options: SqliteOptions): Promise<Store> {
  const connection = await SqliteConnection.open(path, options.busyTimeoutMs ?? 10_000);
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

class SqliteEvents implements EventStore {
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
    const { stream, lease, expectedOffset } = request;
    const row = this.#sql.stream.get(stream);
    const plan = planAppend(stream, request.events, this.#committedByKey(stream, row?.id, request.events));
    if (plan.fresh.length === 0) return fillSlots(plan, []);
    const head = row?.head ?? 0;
    if (expectedOffset !== undefined && expectedOffset !== head) {
      throw new OffsetConflictError(stream, expectedOffset, head);
    }
    if (lease !== undefined && !this.#processors.holds(lease, lease.fence)) throw new LeaseLostError(lease);
    const now = new Date(Math.floor(this.#clock())).toISOString();
    const createdAt = row !== undefined && row.last_created_at > now ? row.last_created_at : now;
    const id = this.#moveHead(stream, row?.id, head + plan.fresh.length, createdAt);
    const { source } = request;
    const rows = plan.fresh.map((event, index) => ({
      ...event,
      offset: head + 1 + index,
      createdAt,
      source,
    }));
    return fillSlots(plan, this.#insert(stream, id, rows));
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

  #moveHead(stream: string, id: number | undefined, head: number, createdAt: string): number {
    if (id === undefined) return this.#sql.insertStream.run(stream, head, createdAt).lastInsertRowid;
    this.#sql.updateStream.run(head, createdAt, id);
    return id;
  }

  #insert(stream: string, id: number, events: readonly PreparedRestore[]): CommittedEvent[] {
    const positions: number[] = [];
    let from = 0;
    for (const { rows, statement } of this.#sql.insertEvents) {
      for (; events.length - from >= rows; from += rows) {
        const values: SqliteValue[] = [];
        for (let row = from; row < from + rows; row += 1)
          this.#bind(values, id, events[row] as PreparedRestore);
        const { lastInsertRowid } = statement.run(...values);
        // Nobody else inserts meanwhile, so the rows of one statement are numbered one after another.
        for (let row = 1; row <= rows; row += 1) positions.push(lastInsertRowid - rows + row);
      }
    }
    return events.map(({ offset, type, payload, payloadText, createdAt, idempotencyKey, source }, index) => {
      const position = positions[index] as number;
      const fields = {
        stream,
        position,
        offset,
        type,
        payload,
        payloadText,
        createdAt,
        idempotencyKey,
        source,
      };
      return toCommitted(fields);
    });
  }

  #bind(values: SqliteValue[], id: number, event: PreparedRestore): void {
    const { offset, payloadBytes, type, createdAt, idempotencyKey, source, payloadText } = event;
    const sourceText = source === undefined ? null : this.#sources.textOf(source);
    values.push(id, offset, payloadBytes, type, createdAt, idempotencyKey ?? null, sourceText, payloadText);
  }

  async restore(stream: string, events: readonly PreparedRestore[], after: number): Promise<void> {
    await this.#connection.write(() => {
      const row = this.#sql.stream.get(stream);
      const known = this.#committedByKey(stream, row?.id, events);
      checkRestored(stream, events, after, {
        head: row?.head ?? 0,
        lastCreatedAt: row?.last_created_at ?? "",
        knownKey: known.keys().next().value,
      });
      const last = events.at(-1) as PreparedRestore;
      const id = this.#moveHead(stream, row?.id, last.offset, last.createdAt);
      this.#insert(stream, id, events);
    }, stream);
    this.#watchers.wake(stream);
  }

  readStream(stream: string, { after, through, types, limit }: StreamPageRequest): Promise<Page> {
    return this.#connection.read(() => {
      const id = this.#sql.stream.get(stream)?.id;
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
      source: row.source === null ? undefined : this.#sources.sourceOf(row.source),
    });
  }

  head(stream: string): Promise<number> {
    return this.#connection.read(() => this.#sql.stream.get(stream)?.head ?? 0);
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
    const strays = await this.#connection.read(() => this.#sql.strays.all());
    return strays.map(({ position, problem }) => `the event at position ${String(position)} ${problem}`);
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
