import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { JournalClosedError, JournalStorageError, missingJournal } from "./errors.ts";
import { openSqlite, type SqliteDatabase } from "./sqlite-driver.ts";
import { isBusy, storageError } from "./sqlite-errors.ts";
import { prepareSchema, type Migration } from "./sqlite-schema.ts";
import { prepareStatements, type SqliteStatements } from "./sqlite-statements.ts";
import { SqliteWrites } from "./sqlite-writes.ts";

/** How long one call may block the thread for another writer; after that it waits without blocking. */
const BLOCK_MS = 10;

/** One connection to a journal file: its transactions, and waiting while other processes write. */
export class SqliteConnection {
  readonly sql: SqliteStatements;
  /** What opening the file did to its tables. */
  readonly migration: Migration;
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  readonly #database: SqliteDatabase;
  readonly #writes: SqliteWrites;
  #closed = false;

  private constructor(path: string, busyTimeoutMs: number, database: SqliteDatabase, migration: Migration) {
    this.migration = migration;
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#database = database;
    this.sql = prepareStatements(database);
    this.#writes = new SqliteWrites(path, busyTimeoutMs, database);
  }

  /** Opens the file; unless `create` is false, it is created when it is missing. Throws `JournalStorageError`. */
  static async open(
    path: string,
    { busyTimeoutMs, create }: { readonly busyTimeoutMs: number; readonly create: boolean },
  ): Promise<SqliteConnection> {
    const resolved = resolve(path);
    return retryWhileBusy(resolved, busyTimeoutMs, () => {
      // The driver would create it.
      if (!create && !existsSync(resolved)) throw missingJournal(resolved);
      refuseOtherFiles(resolved);
      const database = openSqlite(resolved, BLOCK_MS);
      try {
        const migration = prepareSchema(database, resolved, create);
        return new SqliteConnection(resolved, busyTimeoutMs, database, migration);
      } catch (error) {
        database.close();
        throw error;
      }
    });
  }

  /** Reads; a function of several statements may see commits between them. */
  async read<Result>(work: () => Result): Promise<Result> {
    return retryWhileBusy(this.#path, this.#busyTimeoutMs, () => {
      if (this.#closed) throw new JournalClosedError();
      return work();
    });
  }

  /**
   * Writes, in call order; writes that wait together share a transaction. Work throws typed errors only before it writes
   * anything, and may run more than once. `appendingTo` names the stream of an append.
   */
  write<Result>(work: () => Result, appendingTo?: string): Promise<Result> {
    if (this.#closed) return Promise.reject(new JournalClosedError());
    return this.#writes.add(work, appendingTo);
  }

  /** Lets the writes that were called before land, then closes the file. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writes.done();
    try {
      // So that the file alone holds everything, should somebody copy it.
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Another process uses the journal: its own close does it.
    }
    this.#database.close();
  }
}

/** SQLite takes a file shorter than its header for an empty database and would write over it. */
function refuseOtherFiles(path: string): void {
  const header = Buffer.alloc(16);
  let length: number;
  try {
    const file = openSync(path, "r");
    try {
      length = readSync(file, header, 0, 16, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // Missing, or not to be read: opening it says so.
    return;
  }
  if (length === 0 || header.toString("latin1") === "SQLite format 3\0") return;
  throw new JournalStorageError(
    "not-a-journal",
    `${path}: the file is not an SQLite database; name another file, or move this one away`,
  );
}

/** Runs the work, again after short waits while another connection is in the way; throws typed errors. */
async function retryWhileBusy<Result>(path: string, timeoutMs: number, work: () => Result): Promise<Result> {
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
