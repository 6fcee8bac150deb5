import { batched } from "./batched.ts";
import type { Clock } from "./clock.ts";
import type { LeaseTarget, Snapshot, SnapshotKey } from "./journal.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { ProcessorStore } from "./store.ts";

/** Leases, checkpoints and snapshots in PostgreSQL. Leases run by the server's clock, so hosts need not agree on the time. */
export class PostgresProcessors implements ProcessorStore {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #clock: Clock | undefined;
  readonly #acquire = batched((requests: readonly LeaseRequest[]) => this.#acquireAll(requests));
  readonly #renew = batched((requests: readonly HeldRequest[]) => this.#renewAll(requests));
  readonly #release = batched<HeldRequest, undefined>((requests) => this.#releaseAll(requests));

  /** `clock` replaces the server's, for tests. */
  constructor(connection: PostgresConnection, clock: Clock | undefined) {
    this.#connection = connection;
    this.#schema = connection.schema;
    this.#clock = clock;
  }

  async freeLeases(targets: readonly LeaseTarget[]): Promise<readonly boolean[]> {
    const held = await this.#connection.query(
      `SELECT t.n FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS t (stream, processor, n)
         JOIN ${this.#schema}.leases l USING (stream, processor) WHERE NOT (${isFree("$3")})`,
      [...columnsOf(targets), this.#clock?.() ?? null],
    );
    const free = targets.map(() => true);
    for (const { n } of held) free[(n as number) - 1] = false;
    return free;
  }

  /**
   * Targets in one order for every process and statement, whatever the database's collation, so that two batches never wait
   * for one another in a circle.
   */
  async #acquireAll(requests: readonly LeaseRequest[]): Promise<readonly (number | undefined)[]> {
    // One request a target: the others of the same moment would find it held.
    const byTarget = new Map(requests.map((request) => [keyOf(request.target), request] as const));
    const asked = [...byTarget.values()];
    const rows = await this.#connection.query(
      `INSERT INTO ${this.#schema}.leases AS l (stream, processor, fence, held, ttl_ms, expires_at)
       SELECT t.stream, t.processor, 1, true, t.ttl, ${now("$4")} + t.ttl
         FROM unnest($1::text[], $2::text[], $3::float8[]) AS t (stream, processor, ttl)
         ORDER BY t.stream COLLATE "C", t.processor COLLATE "C"
       ON CONFLICT (stream, processor) DO UPDATE
         SET fence = l.fence + 1, held = true, ttl_ms = excluded.ttl_ms, expires_at = excluded.expires_at
         WHERE ${isFree("$4")}
       RETURNING stream, processor, fence`,
      [
        ...columnsOf(asked.map(({ target }) => target)),
        asked.map(({ ttlMs }) => ttlMs),
        this.#clock?.() ?? null,
      ],
    );
    const fences = new Map(rows.map((row) => [keyOf(row as unknown as LeaseTarget), row["fence"] as number]));
    return requests.map((request) => {
      const key = keyOf(request.target);
      return byTarget.get(key) === request ? fences.get(key) : undefined;
    });
  }

  async #renewAll(requests: readonly HeldRequest[]): Promise<readonly boolean[]> {
    const rows = await this.#connection.query(
      `WITH mine AS (${lockHeld(this.#schema)})
       UPDATE ${this.#schema}.leases l SET ttl_ms = mine.ttl, expires_at = ${now("$5")} + mine.ttl
         FROM mine WHERE l.stream = mine.stream AND l.processor = mine.processor
       RETURNING l.stream, l.processor, l.fence`,
      [...heldColumns(requests), this.#clock?.() ?? null],
    );
    // By what they name: of two renewals of one lease in a batch the database answers one.
    const renewed = new Map(rows.map((row) => [keyOf(row as unknown as LeaseTarget), row["fence"]]));
    return requests.map(({ target, fence }) => renewed.get(keyOf(target)) === fence);
  }

  async #releaseAll(requests: readonly HeldRequest[]): Promise<readonly undefined[]> {
    await this.#connection.query(
      `WITH mine AS (${lockHeld(this.#schema)})
       UPDATE ${this.#schema}.leases l SET held = false
         FROM mine WHERE l.stream = mine.stream AND l.processor = mine.processor`,
      heldColumns(requests),
    );
    return requests.map(() => undefined);
  }

  acquireLease(target: LeaseTarget, ttlMs: number): Promise<number | undefined> {
    return this.#acquire({ target, ttlMs });
  }

  renewLease(target: LeaseTarget, fence: number, ttlMs: number): Promise<boolean> {
    return this.#renew({ target, fence, ttlMs });
  }

  releaseLease(target: LeaseTarget, fence: number): Promise<void> {
    return this.#release({ target, fence, ttlMs: 0 });
  }

  async loadCheckpoint(processor: string, scope: string): Promise<number> {
    const [row] = await this.#connection.query(
      `SELECT cursor FROM ${this.#schema}.checkpoints WHERE processor = $1 AND scope = $2`,
      [processor, scope],
    );
    return (row?.["cursor"] as number | undefined) ?? 0;
  }

  async saveCheckpoint(processor: string, scope: string, cursor: number | undefined): Promise<void> {
    const table = `${this.#schema}.checkpoints`;
    if (cursor === undefined) {
      await this.#connection.query(`DELETE FROM ${table} WHERE processor = $1 AND scope = $2`, [
        processor,
        scope,
      ]);
      return;
    }
    await this.#connection.query(
      `INSERT INTO ${table} AS c (processor, scope, cursor) VALUES ($1, $2, $3)
       ON CONFLICT (processor, scope) DO UPDATE SET cursor = excluded.cursor WHERE c.cursor < excluded.cursor`,
      [processor, scope, cursor],
    );
  }

  async saveSnapshot(key: SnapshotKey, { offset, state }: Snapshot): Promise<void> {
    await this.#connection.query(
      `INSERT INTO ${this.#schema}.snapshots (stream, fold_version, contract_version, stream_offset, state)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (stream, fold_version, contract_version, stream_offset) DO UPDATE SET state = excluded.state`,
      [key.stream, key.foldVersion, key.contractVersion, offset, state],
    );
  }

  async loadSnapshot(key: SnapshotKey, through: number): Promise<Snapshot | undefined> {
    const [row] = await this.#connection.query(
      `SELECT stream_offset AS "offset", state FROM ${this.#schema}.snapshots
       WHERE stream = $1 AND fold_version = $2 AND contract_version = $3 AND stream_offset <= $4
       ORDER BY stream_offset DESC LIMIT 1`,
      [key.stream, key.foldVersion, key.contractVersion, through],
    );
    return row as Snapshot | undefined;
  }

  async clearSnapshots(stream: string): Promise<void> {
    await this.#connection.query(`DELETE FROM ${this.#schema}.snapshots WHERE stream = $1`, [stream]);
  }
}

interface LeaseRequest {
  readonly target: LeaseTarget;
  readonly ttlMs: number;
}

interface HeldRequest extends LeaseRequest {
  readonly fence: number;
}

/** The server's time in milliseconds, or what the parameter says. */
function now(parameter: string): string {
  return `coalesce(${parameter}::float8, extract(epoch FROM clock_timestamp())::float8 * 1000)`;
}

/** Whether a lease `l` can be taken. */
function isFree(parameter: string): string {
  // More time left than the lease was ever given: the clock was set back, and nobody can hold it that long.
  const left = `l.expires_at - ${now(parameter)}`;
  return `NOT l.held OR ${left} <= 0 OR ${left} > l.ttl_ms`;
}

/** The requests (parameters 1 to 4) that still hold their lease, whose rows are locked in one order for every process. */
function lockHeld(schema: string): string {
  return `SELECT l.stream, l.processor, t.ttl
    FROM unnest($1::text[], $2::text[], $3::float8[], $4::int8[]) AS t (stream, processor, ttl, fence)
    JOIN ${schema}.leases l ON l.stream = t.stream AND l.processor = t.processor AND l.fence = t.fence AND l.held
    ORDER BY l.stream COLLATE "C", l.processor COLLATE "C" FOR UPDATE OF l`;
}

function columnsOf(targets: readonly LeaseTarget[]): [string[], string[]] {
  return [targets.map(({ stream }) => stream), targets.map(({ processor }) => processor)];
}

function heldColumns(requests: readonly HeldRequest[]): unknown[] {
  return [
    ...columnsOf(requests.map(({ target }) => target)),
    requests.map(({ ttlMs }) => ttlMs),
    requests.map(({ fence }) => fence),
  ];
}

function keyOf({ stream, processor }: LeaseTarget): string {
  return JSON.stringify([stream, processor]);
}
