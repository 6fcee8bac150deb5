import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./clock.ts";
import { CommitPoller } from "./commit-poller.ts";
import {
  AppendOutcomeUnknownError,
  JournalClosedError,
  LeaseLostError,
  OffsetConflictError,
} from "./errors.ts";
import type { CommittedEvent, LeaseTarget, Scope, Snapshot, SnapshotKey, Source } from "./journal.ts";
import { prefixEnd } from "./names.ts";
import { batchKeys, fillSlots, planAppend } from "./plan-append.ts";
import { checkRestored, type PreparedRestore } from "./prepare-restored.ts";
import { openSqlite, type SqliteDatabase } from "./sqlite-driver.ts";
import { isBusy, storageError } from "./sqlite-errors.ts";
import { prepareSchema } from "./sqlite-schema.ts";
import {
  prepareStatements,
  type BoundRow,
  type EventRow,
  type SqliteStatements,
} from "./sqlite-statements.ts";
import {
  PAGE_BYTES,
  PAGE_SCAN,
  type AppendRequest,
  type Page,
  type PreparedEvent,
  type Store,
  type StreamPageRequest,
} from "./store.ts";
import { SourceTexts } from "./source-texts.ts";
import { Watchers } from "./watchers.ts";

/** How the SQLite store opens a file. */
export interface SqliteOptions {
  readonly clock: Clock;
  readonly leaseClock: Clock;
  readonly pollIntervalMs?: number;
  readonly busyTimeoutMs?: number;
}

/** How long one call may block the thread for another writer; after that it waits without blocking. */
const BLOCK_MS = 10;

/** A journal in one SQLite file, shared by the processes of one machine. */
export class SqliteStore implements Store {
  readonly #path: string;
  readonly #options: SqliteOptions;
  readonly #database: SqliteDatabase;
  readonly #sql: SqliteStatements;
  readonly #watchers = new Watchers();
  readonly #poller: CommitPoller;
  readonly #sources = new SourceTexts();
  #writes: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(path: string, options: SqliteOptions, database: SqliteDatabase) {
    this.#path = path;
    this.#options = options;
    this.#database = database;
    const sql = prepareStatements(database);
    this.#sql = sql;
    this.#poller = new CommitPoller(
      {
        version: () => sql.dataVersion.all()[0]?.data_version ?? 0,
        lastPosition: () => sql.lastPosition.all()[0]?.position ?? 0,
        streamsAfter: (position, limit) => sql.streamsAfter.all(position, limit),
      },
      this.#watchers,
      options.pollIntervalMs ?? 1,
    );
  }

  /** Opens the file, creating it when it is missing. Throws `JournalStorageError`. */
  static async open(path: string, options: SqliteOptions): Promise<SqliteStore> {
    const resolved = resolve(path);
    return retryWhileBusy(resolved, options.busyTimeoutMs, () => {
      const database = openSqlite(resolved, BLOCK_MS);
      try {
        prepareSchema(database, resolved);
        return new SqliteStore(resolved, options, database);
      } catch (error) {
        database.close();
        throw error;
      }
    });
  }

  async append(request: AppendRequest): Promise<readonly CommittedEvent[]> {
    const events = await this.#write(request.stream, () => this.#appendNow(request));
    this.#watchers.wake(request.stream);
    return events;
  }

  #appendNow(request: AppendRequest): readonly CommittedEvent[] {
    const { stream, lease, expectedOffset } = request;
    const row = this.#sql.stream.all(stream)[0];
    const plan = planAppend(stream, request.events, this.#committedByKey(stream, row?.id, request.events));
    if (plan.fresh.length === 0) return fillSlots(plan, []);
    const head = row?.head ?? 0;
    if (expectedOffset !== undefined && expectedOffset !== head) {
      throw new OffsetConflictError(stream, expectedOffset, head);
    }
    if (lease !== undefined && !this.#holds(lease, lease.fence)) throw new LeaseLostError(lease);
    const now = new Date(Math.floor(this.#options.clock())).toISOString();
    const createdAt = row !== undefined && row.last_created_at > now ? row.last_created_at : now;
    const id = this.#moveHead(stream, row?.id, head + plan.fresh.length, createdAt);
    const given = { createdAt, source: request.source };
    const stored = plan.fresh.map((event, index) =>
      this.#insert(stream, id, event, { ...given, offset: head + 1 + index }),
    );
    return fillSlots(plan, stored);
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

  #insert(
    stream: string,
    id: number,
    event: PreparedEvent,
    given: { readonly offset: number; readonly createdAt: string; readonly source: Source | undefined },
  ): CommittedEvent {
    const { type, payload, payloadText, payloadBytes, idempotencyKey } = event;
    const { offset, createdAt, source } = given;
    const { lastInsertRowid } = this.#sql.insertEvent.run(
      id,
      offset,
      payloadBytes,
      type,
      createdAt,
      idempotencyKey ?? null,
      source === undefined ? null : this.#sources.textOf(source),
      payloadText,
    );
    return {
      stream,
      position: lastInsertRowid,
      offset,
      type,
      payload,
      payloadText,
      createdAt,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(source === undefined ? {} : { source }),
    };
  }

  async restore(stream: string, events: readonly PreparedRestore[], after: number): Promise<void> {
    await this.#write(stream, () => {
      const row = this.#sql.stream.all(stream)[0];
      const known = this.#committedByKey(stream, row?.id, events);
      checkRestored(stream, events, after, {
        head: row?.head ?? 0,
        lastCreatedAt: row?.last_created_at ?? "",
        knownKey: known.keys().next().value,
      });
      const last = events.at(-1) as PreparedRestore;
      const id = this.#moveHead(stream, row?.id, last.offset, last.createdAt);
      for (const event of events) this.#insert(stream, id, event, event);
    });
    this.#watchers.wake(stream);
  }

  readStream(stream: string, { after, through, types, limit }: StreamPageRequest): Promise<Page> {
    return this.#read(() => {
      const id = this.#sql.stream.all(stream)[0]?.id;
      if (id === undefined) return { events: [], next: after, more: false };
      const end = Math.min(through, Number.MAX_SAFE_INTEGER);
      const wanted = types === undefined ? undefined : JSON.stringify(types);
      const scan = types === undefined ? limit + 1 : PAGE_SCAN;
      const range = [limit, PAGE_BYTES, id, after, end, scan] as const;
      const bounds =
        wanted === undefined
          ? this.#sql.streamBound.all(...range)
          : this.#sql.streamBoundByType.all(...range, wanted);
      return this.#page(bounds[0], scan, after, (last) => {
        const rows =
          wanted === undefined
            ? this.#sql.streamRows.all(id, after, last)
            : this.#sql.streamRowsByType.all(id, after, last, wanted);
        return rows.map((row) => this.#toEvent(row, stream));
      });
    });
  }

  readPrefix(
    prefix: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<Page> {
    return this.#read(() => {
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
    return {
      stream,
      position: row.position,
      offset: row.offset,
      type: row.type,
      payload: JSON.parse(row.payload) as unknown,
      payloadText: row.payload,
      createdAt: row.created_at,
      ...(row.idempotency_key === null ? {} : { idempotencyKey: row.idempotency_key }),
      ...(row.source === null ? {} : { source: this.#sources.sourceOf(row.source) }),
    };
  }

  head(stream: string): Promise<number> {
    return this.#read(() => this.#sql.stream.all(stream)[0]?.head ?? 0);
  }

  streamNames(prefix: string, after: string, limit: number): Promise<readonly string[]> {
    return this.#read(() =>
      this.#sql.streamNames.all(prefix, prefixEnd(prefix), after, limit).map(({ name }) => name),
    );
  }

  watch(scope: Scope, wake: () => void): () => void {
    const unwatch = this.#watchers.add(scope, wake);
    this.#poller.start();
    return () => {
      unwatch();
      if (this.#watchers.size === 0) this.#poller.stop();
    };
  }

  #holds({ stream, processor }: LeaseTarget, fence: number): boolean {
    const row = this.#sql.lease.all(stream, processor)[0];
    return row?.fence === fence && row.held === 1;
  }

  /** The fence that the next holder gets, or `undefined` while the lease is held. */
  #nextFence({ stream, processor }: LeaseTarget): number | undefined {
    const row = this.#sql.lease.all(stream, processor)[0];
    if (row === undefined) return 1;
    const left = row.expires_at - this.#options.leaseClock();
    // More time left than the lease was ever given: the clock started anew with the machine, and nobody holds it.
    return row.held === 1 && left > 0 && left <= row.ttl_ms ? undefined : row.fence + 1;
  }

  async acquireLease(target: LeaseTarget, ttlMs: number): Promise<number | undefined> {
    // A look first, so that waiting for a lease writes nothing.
    if ((await this.#read(() => this.#nextFence(target))) === undefined) return undefined;
    return this.#write(undefined, () => {
      const fence = this.#nextFence(target);
      if (fence !== undefined) this.#saveLease(target, fence, ttlMs);
      return fence;
    });
  }

  renewLease(target: LeaseTarget, fence: number, ttlMs: number): Promise<boolean> {
    return this.#write(undefined, () => {
      const held = this.#holds(target, fence);
      if (held) this.#saveLease(target, fence, ttlMs);
      return held;
    });
  }

  async releaseLease(target: LeaseTarget, fence: number): Promise<void> {
    await this.#write(undefined, () => {
      if (this.#holds(target, fence))
        this.#sql.saveLease.run(target.stream, target.processor, fence, 0, 0, 0);
    });
  }

  #saveLease({ stream, processor }: LeaseTarget, fence: number, ttlMs: number): void {
    this.#sql.saveLease.run(stream, processor, fence, 1, ttlMs, this.#options.leaseClock() + ttlMs);
  }

  loadCheckpoint(processor: string, scope: string): Promise<number> {
    return this.#read(() => this.#sql.loadCheckpoint.all(processor, scope)[0]?.cursor ?? 0);
  }

  async saveCheckpoint(processor: string, scope: string, cursor: number | undefined): Promise<void> {
    await this.#write(undefined, () => {
      if (cursor === undefined) this.#sql.resetCheckpoint.run(processor, scope);
      else this.#sql.saveCheckpoint.run(processor, scope, cursor);
    });
  }

  async saveSnapshot(key: SnapshotKey, { offset, state }: Snapshot): Promise<void> {
    await this.#write(undefined, () => {
      this.#sql.saveSnapshot.run(key.stream, key.foldVersion, key.contractVersion, offset, state);
    });
  }

  loadSnapshot(key: SnapshotKey, through: number): Promise<Snapshot | undefined> {
    return this.#read(
      () => this.#sql.loadSnapshot.all(key.stream, key.foldVersion, key.contractVersion, through)[0],
    );
  }

  async clearSnapshots(stream: string): Promise<void> {
    await this.#write(undefined, () => {
      this.#sql.clearSnapshots.run(stream);
    });
  }

  async close(): Promise<void> {
    this.#poller.stop();
    // Appends that were called before close still land.
    await this.#writes;
    this.#closed = true;
    try {
      // So that the file alone holds everything, should somebody copy it.
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Another process uses the journal: its own close does it.
    }
    this.#database.close();
  }

  async #read<Result>(work: () => Result): Promise<Result> {
    return retryWhileBusy(this.#path, this.#options.busyTimeoutMs, () => {
      if (this.#closed) throw new JournalClosedError();
      return work();
    });
  }

  /** One write transaction; they run one after another in call order. */
  #write<Result>(appendingTo: string | undefined, work: () => Result): Promise<Result> {
    const result = this.#writes.then(() =>
      retryWhileBusy(this.#path, this.#options.busyTimeoutMs, () => {
        if (this.#closed) throw new JournalClosedError();
        // The write lock from the start: a transaction that reads first and then wants to write cannot wait for it.
        this.#database.exec("BEGIN IMMEDIATE");
        let committing = false;
        try {
          const value = work();
          committing = true;
          this.#database.exec("COMMIT");
          return value;
        } catch (error) {
          if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
          throw committing ? commitError(error, this.#path, appendingTo) : error;
        }
      }),
    );
    this.#writes = result.catch(() => undefined);
    return result;
  }
}

/** When committing itself failed on the disk, the log may hold the batch whole, and a crash now would bring it back. */
function commitError(error: unknown, path: string, appendingTo: string | undefined): unknown {
  const typed = storageError(error, path);
  const failed = (typed as { reason?: unknown }).reason === "failed";
  return failed && appendingTo !== undefined
    ? new AppendOutcomeUnknownError(appendingTo, { cause: error })
    : typed;
}

/** Runs the work, again after short waits while another connection is in the way; throws typed errors. */
async function retryWhileBusy<Result>(path: string, timeoutMs = 10_000, work: () => Result): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw storageError(error, path);
    }
    // Uneven waits, so that two processes do not keep meeting.
    await sleep(1 + Math.random() * 9);
  }
}
