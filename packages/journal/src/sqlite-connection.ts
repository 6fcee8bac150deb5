import { closeSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppendOutcomeUnknownError, JournalClosedError, JournalStorageError } from "./errors.ts";
import { openSqlite, type SqliteDatabase } from "./sqlite-driver.ts";
import { isBusy, storageError } from "./sqlite-errors.ts";
import { prepareSchema, type Migration } from "./sqlite-schema.ts";
import { prepareStatements, type SqliteStatements } from "./sqlite-statements.ts";

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
  #writes: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(path: string, busyTimeoutMs: number, database: SqliteDatabase, migration: Migration) {
    this.migration = migration;
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#database = database;
    this.sql = prepareStatements(database);
  }

  /** Opens the file, creating it when it is missing. Throws `JournalStorageError`. */
  static async open(path: string, busyTimeoutMs: number): Promise<SqliteConnection> {
    const resolved = resolve(path);
    return retryWhileBusy(resolved, busyTimeoutMs, () => {
      refuseOtherFiles(resolved);
      const database = openSqlite(resolved, BLOCK_MS);
      try {
        const migration = prepareSchema(database, resolved);
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

  /** One write transaction; they run one after another in call order. `appendingTo` names the stream of an append. */
  write<Result>(work: () => Result, appendingTo?: string): Promise<Result> {
    const result = this.#writes.then(() =>
      retryWhileBusy(this.#path, this.#busyTimeoutMs, () => {
        if (this.#closed) throw new JournalClosedError();
        return this.#transact(work, appendingTo);
      }),
    );
    this.#writes = result.catch(() => undefined);
    return result;
  }

  #transact<Result>(work: () => Result, appendingTo: string | undefined): Result {
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
  }

  /** Lets the writes that were called before land, then closes the file. */
  async close(): Promise<void> {
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
    `${path}: the file is not an SQLite database. Name another file, or move this one away.`,
  );
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
