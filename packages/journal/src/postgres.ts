import { timeText, type Clock } from "./clock.ts";
import { AppendOutcomeUnknownError, LeaseLostError, OffsetConflictError } from "./errors.ts";
import type { CommittedEvent, Scope, Source } from "./journal.ts";
import { prefixEnd } from "./names.ts";
import { batchKeys, fillSlots, planAppend } from "./plan-append.ts";
import { PostgresConnection, type PostgresConnectionOptions, type Row } from "./postgres-connection.ts";
import { PostgresHorizon } from "./postgres-horizon.ts";
import { PostgresPages } from "./postgres-pages.ts";
import { PostgresProcessors } from "./postgres-processors.ts";
import { PostgresSignals } from "./postgres-signals.ts";
import { checkRestored, type PreparedRestore } from "./prepare-restored.ts";
import { SourceTexts } from "./source-texts.ts";
import {
  type AppendRequest,
  type EventStore,
  type Page,
  type PreparedEvent,
  type Store,
  type StreamPageRequest,
} from "./store.ts";
import { toCommitted } from "./to-committed.ts";
import { Watchers } from "./watchers.ts";

/** How the PostgreSQL store opens a database. */
export interface PostgresOptions extends PostgresConnectionOptions {
  readonly clock: Clock;
  /** Replaces the server's clock for leases. */
  readonly leaseClock: Clock | undefined;
  /** Default true. */
  readonly create?: boolean | undefined;
}

/** Opens a journal in a PostgreSQL database, for many processes on many hosts. Throws `JournalStorageError`. */
export async function openPostgresStore(url: string, options: PostgresOptions): Promise<Store> {
  const connection = new PostgresConnection(url, options);
  try {
    await (options.create === false ? connection.checkSchema() : connection.migrate());
  } catch (error) {
    await connection.close();
    throw error;
  }
  const events = new PostgresEvents(connection, options.clock);
  return {
    events,
    processors: new PostgresProcessors(connection, options.leaseClock),
    async close() {
      await events.close();
      await connection.close();
    },
  };
}

/** The name of the prepared statement that appends; planning it costs as much as running it. */
const APPEND = "promptfold_append";

class PostgresEvents implements EventStore {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #clock: Clock;
  readonly #watchers = new Watchers();
  readonly #sources = new SourceTexts();
  readonly #signals: PostgresSignals;
  readonly #horizon: PostgresHorizon;
  readonly #pages: PostgresPages;
  /** One queue a stream, so that one caller's appends land in call order though the pool is wide. */
  readonly #queues = new Map<string, Promise<unknown>>();
  #caughtUp: number | undefined;

  constructor(connection: PostgresConnection, clock: Clock) {
    this.#connection = connection;
    this.#schema = connection.schema;
    this.#clock = clock;
    this.#signals = new PostgresSignals(
      connection,
      this.#watchers,
      () => this.#catchUp(),
      () => {
        this.#caughtUp = undefined;
      },
    );
    this.#horizon = new PostgresHorizon(connection, () => {
      this.#watchers.wakeAll();
    });
    this.#pages = new PostgresPages(connection, this.#horizon, this.#sources);
  }

  async append(request: AppendRequest): Promise<readonly CommittedEvent[]> {
    const { stream } = request;
    const events = await this.#inOrder(stream, () => this.#appendNow(request));
    this.#watchers.wake(stream);
    this.#signals.announce(stream);
    return events;
  }

  async #inOrder<Result>(stream: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#queues.get(stream) ?? Promise.resolve()).then(work);
    const settled = result.catch(() => undefined);
    this.#queues.set(stream, settled);
    try {
      return await result;
    } finally {
      if (this.#queues.get(stream) === settled) this.#queues.delete(stream);
    }
  }

  async #appendNow(request: AppendRequest): Promise<readonly CommittedEvent[]> {
    const { stream, events, expectedOffset, lease } = request;
    const known = new Map<string, CommittedEvent>();
    for (;;) {
      const plan = planAppend(stream, events, known);
      if (plan.fresh.length === 0) return fillSlots(plan, []);
      const rows = await this.#appendFresh(request, plan.fresh);
      switch (rows[0]?.["status"]) {
        case "stored":
          return fillSlots(plan, this.#stored(stream, plan.fresh, request.source, rows));
        case "offset":
          throw new OffsetConflictError(stream, expectedOffset ?? 0, rows[0]["stream_offset"] as number);
        case "lease":
          throw new LeaseLostError(lease ?? { stream, processor: "" });
        default:
          // Known keys never become unknown again, so each round leaves less to append.
          for (const row of rows)
            known.set(row["idempotency_key"] as string, this.#pages.toEvent(row, stream));
      }
    }
  }

  #appendFresh(request: AppendRequest, fresh: readonly PreparedEvent[]): Promise<Row[]> {
    const { stream, source, expectedOffset, lease } = request;
    const values = [
      stream,
      fresh.map(({ type }) => type),
      fresh.map(({ payloadText }) => payloadText),
      fresh.map(({ payloadBytes }) => payloadBytes),
      fresh.map(({ idempotencyKey }) => idempotencyKey ?? null),
      this.#sources.textOf(source),
      timeText(this.#clock()),
      expectedOffset ?? null,
      lease?.stream ?? null,
      lease?.processor ?? null,
      lease?.fence ?? null,
    ];
    const sql = `SELECT * FROM ${this.#schema}.append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;
    return this.#connection.execute(sql, values, {
      name: APPEND,
      // With a key on every event, a second attempt finds out what became of the first one.
      isRepeatable: fresh.every(({ idempotencyKey }) => idempotencyKey !== undefined),
      onLoss: (cause) => new AppendOutcomeUnknownError(stream, { cause }),
    });
  }

  #stored(
    stream: string,
    fresh: readonly PreparedEvent[],
    source: Source,
    rows: readonly Row[],
  ): CommittedEvent[] {
    const first = Math.min(...rows.map((row) => row["stream_offset"] as number));
    const byOffset = new Map(rows.map((row) => [row["stream_offset"] as number, row]));
    return fresh.map(({ type, payload, payloadText, idempotencyKey }, index) => {
      const row = byOffset.get(first + index) as Row;
      return toCommitted({
        stream,
        position: row["position"] as number,
        offset: first + index,
        type,
        payload,
        payloadText,
        createdAt: row["created_at"] as string,
        idempotencyKey,
        source,
      });
    });
  }

  async restore(stream: string, events: readonly PreparedRestore[], after: number): Promise<void> {
    await this.#inOrder(stream, () =>
      this.#connection.transaction(
        async (query) => {
          const [held] = await query(`SELECT * FROM ${this.#schema}.lock_stream($1)`, [stream]);
          const [known] = await query(
            `SELECT idempotency_key AS key FROM ${this.#schema}.events
             WHERE stream_id = $1 AND idempotency_key = ANY ($2) LIMIT 1`,
            [held?.["id"], batchKeys(events)],
          );
          checkRestored(stream, events, after, {
            head: held?.["head"] as number,
            lastCreatedAt: held?.["last_created_at"] as string,
            knownKey: known?.["key"] as string | undefined,
          });
          await this.#insertRestored(query, held?.["id"] as number, events);
        },
        (cause) => new AppendOutcomeUnknownError(stream, { cause }),
      ),
    );
    this.#watchers.wake(stream);
    this.#signals.announce(stream);
  }

  async #insertRestored(
    query: (sql: string, values: readonly unknown[]) => Promise<Row[]>,
    id: number,
    events: readonly PreparedRestore[],
  ): Promise<void> {
    const last = events.at(-1) as PreparedRestore;
    await query(`UPDATE ${this.#schema}.streams SET head = $2, last_created_at = $3 WHERE id = $1`, [
      id,
      last.offset,
      last.createdAt,
    ]);
    await query("SELECT pg_advisory_xact_lock_shared($1, $2)", this.#connection.lockKeys);
    await query(
      `INSERT INTO ${this.#schema}.events
         (stream_id, stream_offset, bytes, type, created_at, idempotency_key, source, payload)
       SELECT $1, t.o, t.bytes, t.type, t.created_at, t.key, t.source, t.payload
         FROM unnest($2::int8[], $3::int4[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
           AS t (o, bytes, type, created_at, key, source, payload) ORDER BY t.o`,
      [
        id,
        events.map(({ offset }) => offset),
        events.map(({ payloadBytes }) => payloadBytes),
        events.map(({ type }) => type),
        events.map(({ createdAt }) => createdAt),
        events.map(({ idempotencyKey }) => idempotencyKey ?? null),
        events.map(({ source }) => (source === undefined ? null : this.#sources.textOf(source))),
        events.map(({ payloadText }) => payloadText),
      ],
    );
  }

  readStream(stream: string, request: StreamPageRequest): Promise<Page> {
    return this.#pages.readStream(stream, request);
  }

  readPrefix(prefix: string, request: { readonly after: number; readonly limit: number }): Promise<Page> {
    return this.#pages.readPrefix(prefix, request);
  }

  async head(stream: string): Promise<number> {
    const [row] = await this.#connection.query(`SELECT head FROM ${this.#schema}.streams WHERE name = $1`, [
      stream,
    ]);
    return (row?.["head"] as number | undefined) ?? 0;
  }

  async streamNames(prefix: string, after: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#connection.query(
      `SELECT name FROM ${this.#schema}.streams
       WHERE name >= $1 AND name < $2 AND name > $3 AND head > 0 ORDER BY name LIMIT $4`,
      [prefix, prefixEnd(prefix), after, limit],
    );
    return rows.map(({ name }) => name as string);
  }

  watch(scope: Scope, wake: () => void): () => void {
    // After a time without watchers the first look wakes everybody instead of asking what happened since.
    if (this.#watchers.size === 0) this.#caughtUp = undefined;
    const unwatch = this.#watchers.add(scope, wake);
    this.#signals.listen();
    return () => {
      unwatch();
      if (this.#watchers.size === 0) this.#signals.stopListening();
    };
  }

  async integrity(): Promise<readonly string[]> {
    const strays = await this.#connection.query(
      `SELECT e.position, CASE WHEN s.id IS NULL THEN 'belongs to no stream' ELSE 'has another length than was stored' END
         AS problem
       FROM ${this.#schema}.events e LEFT JOIN ${this.#schema}.streams s ON s.id = e.stream_id
       WHERE s.id IS NULL OR e.bytes <> octet_length(e.payload) ORDER BY e.position LIMIT 100`,
    );
    return strays.map((row) => `the event at position ${String(row["position"])} ${String(row["problem"])}`);
  }

  /** Wakes whom lost wake-ups concern: the streams of all events since what was settled at the last look. */
  async #catchUp(): Promise<void> {
    await this.#horizon.refresh();
    const { settled, isKnown } = this.#horizon;
    if (this.#caughtUp === undefined || (isKnown && settled < this.#caughtUp)) {
      this.#watchers.wakeAll();
    } else {
      const rows = await this.#connection.query(
        `SELECT DISTINCT s.name FROM ${this.#schema}.events e JOIN ${this.#schema}.streams s ON s.id = e.stream_id
         WHERE e.position > $1`,
        [this.#caughtUp],
      );
      for (const { name } of rows) this.#watchers.wake(name as string);
    }
    if (isKnown) this.#caughtUp = settled;
  }

  async close(): Promise<void> {
    this.#horizon.close();
    await Promise.allSettled(this.#queues.values());
    await this.#signals.close();
  }
}
