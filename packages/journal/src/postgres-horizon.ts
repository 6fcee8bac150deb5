import type { PostgresConnection } from "./postgres-connection.ts";

/** How often to look whether the appends that were on their way have ended, in milliseconds. */
const LOOK_MS = 5;

/**
 * Up to which position the journal is settled: nothing that commits later can have a position at or below it. Readers
 * need it only when they meet a gap in the positions, which is an append on its way or one that was rolled back.
 *
 * Every append holds a shared advisory lock from before its first position to its end. So, for the last position that was
 * committed at one moment: once all holders seen after that moment are gone, everything up to it is settled. What was given
 * out but not committed does not count: a server that crashes gives it out again.
 *
 * A server that took over may lack even what was committed, so what was settled holds only as long as the pool opened no
 * connection since: those of before lead to the same server, or nowhere.
 */
export class PostgresHorizon {
  readonly #connection: PostgresConnection;
  readonly #onSettled: () => void;
  #settled = 0;
  /** How many connections the pool had opened when `#settled` was found. */
  #opened = -1;
  #looking: Promise<void> | undefined;
  #closed = false;

  constructor(connection: PostgresConnection, onSettled: () => void) {
    this.#connection = connection;
    this.#onSettled = onSettled;
  }

  /** 0 when nothing is known. */
  get settled(): number {
    return this.isKnown ? this.#settled : 0;
  }

  get isKnown(): boolean {
    return this.#opened === this.#connection.opened;
  }

  /** Moves the horizon to now if nothing is on its way; else keeps looking, and calls `onSettled` when it has moved. */
  async refresh(): Promise<void> {
    for (;;) {
      if (this.#looking !== undefined) return;
      const { opened } = this.#connection;
      const known = this.settled;
      const last = await this.#lastCommitted();
      // Behind a pooler that shares sessions, connections outlive the server.
      if (last < known) this.#opened = -1;
      const onTheirWay = await this.#onTheirWay();
      if (onTheirWay.size > 0) {
        this.#looking ??= this.#wait(last, opened, onTheirWay);
        return;
      }
      if (this.#settle(last, opened)) return;
    }
  }

  /** Takes a position for settled that was found when so many connections had been opened; false when more were since. */
  #settle(position: number, opened: number): boolean {
    if (opened !== this.#connection.opened) return false;
    this.#settled = Math.max(this.settled, position);
    this.#opened = opened;
    return true;
  }

  async #wait(last: number, opened: number, onTheirWay: ReadonlySet<string>): Promise<void> {
    try {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        if (this.#closed) return;
        const still = await this.#onTheirWay();
        if (![...onTheirWay].some((transaction) => still.has(transaction))) break;
      }
      this.#settle(last, opened);
    } catch {
      // The server is away; whoever wakes now meets that error or asks again.
    } finally {
      this.#looking = undefined;
    }
    this.#onSettled();
  }

  async #lastCommitted(): Promise<number> {
    const { schema } = this.#connection;
    const [row] = await this.#connection.query(
      `SELECT coalesce(max(position), 0) AS last FROM ${schema}.events`,
    );
    return row?.["last"] as number;
  }

  async #onTheirWay(): Promise<Set<string>> {
    const rows = await this.#connection.query(
      `SELECT virtualtransaction AS id FROM pg_locks
       WHERE locktype = 'advisory' AND classid = $1::int8::oid AND objid = $2::int8::oid AND objsubid = 2
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND mode = 'ShareLock'`,
      this.#connection.lockKeys,
    );
    return new Set(rows.map(({ id }) => id as string));
  }

  close(): void {
    this.#closed = true;
  }
}
