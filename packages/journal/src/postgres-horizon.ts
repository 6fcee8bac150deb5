import type { PostgresConnection } from "./postgres-connection.ts";

/** How often to look whether the appends that were on their way have ended, in milliseconds. */
const LOOK_MS = 5;

/**
 * Up to which position the journal is settled: nothing that commits later can have a position at or below it. Readers
 * need it only when they meet a gap in the positions, which is an append on its way or one that was rolled back.
 *
 * Every append holds a shared advisory lock from before its first position to its end. So, for the last position given
 * out at one moment: once all holders seen after that moment are gone, everything up to it is settled.
 */
export class PostgresHorizon {
  readonly #connection: PostgresConnection;
  readonly #onSettled: () => void;
  #settled = 0;
  #looking: Promise<void> | undefined;
  #closed = false;

  constructor(connection: PostgresConnection, onSettled: () => void) {
    this.#connection = connection;
    this.#onSettled = onSettled;
  }

  get settled(): number {
    return this.#settled;
  }

  /** Moves the horizon to now if nothing is on its way; else keeps looking, and calls `onSettled` when it has moved. */
  async refresh(): Promise<void> {
    if (this.#looking !== undefined) return;
    const last = await this.#lastGiven();
    const onTheirWay = await this.#onTheirWay();
    if (onTheirWay.size === 0) this.#settled = Math.max(this.#settled, last);
    else this.#looking ??= this.#wait(last, onTheirWay);
  }

  async #wait(last: number, onTheirWay: ReadonlySet<string>): Promise<void> {
    try {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        if (this.#closed) return;
        const still = await this.#onTheirWay();
        if (![...onTheirWay].some((transaction) => still.has(transaction))) break;
      }
      this.#settled = Math.max(this.#settled, last);
    } catch {
      // The server is away; whoever wakes now meets that error or asks again.
    } finally {
      this.#looking = undefined;
    }
    this.#onSettled();
  }

  async #lastGiven(): Promise<number> {
    const { schema } = this.#connection;
    const [row] = await this.#connection.query(
      `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${schema}.positions`,
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
