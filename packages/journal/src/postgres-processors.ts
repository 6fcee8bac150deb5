import type { Clock } from "./clock.ts";
import type { LeaseTarget, Snapshot, SnapshotKey } from "./journal.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { ProcessorStore } from "./store.ts";

/** Leases, checkpoints and snapshots in PostgreSQL. Leases run by the server's clock, so hosts need not agree on the time. */
export class PostgresProcessors implements ProcessorStore {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #clock: Clock | undefined;

  /** `clock` replaces the server's, for tests. */
  constructor(connection: PostgresConnection, clock: Clock | undefined) {
    this.#connection = connection;
    this.#schema = connection.schema;
    this.#clock = clock;
  }

  #now(): number | null {
    return this.#clock?.() ?? null;
  }

  async acquireLease({ stream, processor }: LeaseTarget, ttlMs: number): Promise<number | undefined> {
    // More time left than the lease was ever given: the clock was set back, and nobody can hold it that long.
    const [row] = await this.#connection.query(
      `INSERT INTO ${this.#schema}.leases AS l (stream, processor, fence, held, ttl_ms, expires_at)
       VALUES ($1, $2, 1, true, $3, ${NOW} + $3)
       ON CONFLICT (stream, processor) DO UPDATE
         SET fence = l.fence + 1, held = true, ttl_ms = excluded.ttl_ms, expires_at = excluded.expires_at
         WHERE NOT l.held OR l.expires_at <= ${NOW} OR l.expires_at - ${NOW} > l.ttl_ms
       RETURNING fence`,
      [stream, processor, ttlMs, this.#now()],
    );
    return row?.["fence"] as number | undefined;
  }

  async renewLease({ stream, processor }: LeaseTarget, fence: number, ttlMs: number): Promise<boolean> {
    const rows = await this.#connection.query(
      `UPDATE ${this.#schema}.leases SET ttl_ms = $3, expires_at = ${NOW} + $3
       WHERE stream = $1 AND processor = $2 AND fence = $5 AND held RETURNING fence`,
      [stream, processor, ttlMs, this.#now(), fence],
    );
    return rows.length === 1;
  }

  async releaseLease({ stream, processor }: LeaseTarget, fence: number): Promise<void> {
    await this.#connection.query(
      `UPDATE ${this.#schema}.leases SET held = false WHERE stream = $1 AND processor = $2 AND fence = $3 AND held`,
      [stream, processor, fence],
    );
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

/** The server's time in milliseconds, or the fourth parameter's. */
const NOW = "coalesce($4::float8, extract(epoch FROM clock_timestamp())::float8 * 1000)";
