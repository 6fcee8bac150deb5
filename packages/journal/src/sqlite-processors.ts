import type { Clock } from "./clock.ts";
import type { LeaseTarget, Snapshot, SnapshotKey } from "./journal.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { ProcessorStore } from "./store.ts";

/** Leases, checkpoints and snapshots in an SQLite file. */
export class SqliteProcessors implements ProcessorStore {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;

  constructor(connection: SqliteConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Whether nobody took the lease over since this fence was given; for use inside a transaction. */
  holds({ stream, processor }: LeaseTarget, fence: number): boolean {
    const row = this.#connection.sql.lease.get(stream, processor);
    return row?.fence === fence && row.held === 1;
  }

  /** The fence that the next holder gets, or `undefined` while the lease is held. */
  #nextFence({ stream, processor }: LeaseTarget): number | undefined {
    const row = this.#connection.sql.lease.get(stream, processor);
    if (row === undefined) return 1;
    const left = row.expires_at - this.#clock();
    // More time left than the lease was ever given: the clock started anew with the machine, and nobody holds it.
    return row.held === 1 && left > 0 && left <= row.ttl_ms ? undefined : row.fence + 1;
  }

  freeLeases(targets: readonly LeaseTarget[]): Promise<readonly boolean[]> {
    return this.#connection.read(() => targets.map((target) => this.#nextFence(target) !== undefined));
  }

  async acquireLease(target: LeaseTarget, ttlMs: number): Promise<number | undefined> {
    // A look first, so that waiting for a lease writes nothing.
    if ((await this.#connection.read(() => this.#nextFence(target))) === undefined) return undefined;
    return this.#connection.write(() => {
      const fence = this.#nextFence(target);
      if (fence !== undefined) this.#saveLease(target, fence, ttlMs);
      return fence;
    });
  }

  renewLease(target: LeaseTarget, fence: number, ttlMs: number): Promise<boolean> {
    return this.#connection.write(() => {
      const held = this.holds(target, fence);
      if (held) this.#saveLease(target, fence, ttlMs);
      return held;
    });
  }

  async releaseLease(target: LeaseTarget, fence: number): Promise<void> {
    await this.#connection.write(() => {
      if (this.holds(target, fence))
        this.#connection.sql.saveLease.run(target.stream, target.processor, fence, 0, 0, 0);
    });
  }

  #saveLease({ stream, processor }: LeaseTarget, fence: number, ttlMs: number): void {
    this.#connection.sql.saveLease.run(stream, processor, fence, 1, ttlMs, this.#clock() + ttlMs);
  }

  loadCheckpoint(processor: string, scope: string): Promise<number> {
    return this.#connection.read(
      () => this.#connection.sql.loadCheckpoint.get(processor, scope)?.cursor ?? 0,
    );
  }

  async saveCheckpoint(processor: string, scope: string, cursor: number | undefined): Promise<void> {
    await this.#connection.write(() => {
      if (cursor === undefined) this.#connection.sql.resetCheckpoint.run(processor, scope);
      else this.#connection.sql.saveCheckpoint.run(processor, scope, cursor);
    });
  }

  async saveSnapshot(key: SnapshotKey, { offset, state }: Snapshot): Promise<void> {
    await this.#connection.write(() => {
      this.#connection.sql.saveSnapshot.run(key.stream, key.foldVersion, key.contractVersion, offset, state);
    });
  }

  loadSnapshot(key: SnapshotKey, through: number): Promise<Snapshot | undefined> {
    return this.#connection.read(() => {
      const { stream, foldVersion, contractVersion } = key;
      const row = this.#connection.sql.loadSnapshot.get(stream, foldVersion, contractVersion, through);
      return row && { offset: row.offset, state: row.state };
    });
  }

  async clearSnapshots(stream: string): Promise<void> {
    await this.#connection.write(() => {
      this.#connection.sql.clearSnapshots.run(stream);
    });
  }
}
