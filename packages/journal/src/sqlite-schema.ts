import { JournalStorageError, missingJournal } from "./errors.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";

/** Version of the tables below; a file with a greater one was made by a newer release. */
const SCHEMA_VERSION = 1;

/**
 * The step at index n brings a file from version n to n + 1. Released steps never change.
 *
 * A stream's head and last time are those of its last event. Its row is not written for each append, which would cost a page
 * more in each transaction; only where events are removed does the trigger keep there what must not be given out again.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE journal_schema (version INTEGER NOT NULL);
   INSERT INTO journal_schema (version) VALUES (0);
   CREATE TABLE streams (
     id INTEGER PRIMARY KEY,
     name TEXT NOT NULL UNIQUE,
     head INTEGER NOT NULL,
     last_created_at TEXT NOT NULL
   );
   CREATE TABLE events (
     position INTEGER PRIMARY KEY AUTOINCREMENT,
     stream_id INTEGER NOT NULL REFERENCES streams (id),
     offset INTEGER NOT NULL,
     bytes INTEGER NOT NULL,
     type TEXT NOT NULL,
     created_at TEXT NOT NULL,
     idempotency_key TEXT,
     source TEXT,
     payload TEXT NOT NULL
   );
   CREATE UNIQUE INDEX events_by_offset ON events (stream_id, offset);
   CREATE UNIQUE INDEX events_by_key ON events (stream_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
   CREATE TRIGGER events_removed AFTER DELETE ON events BEGIN
     UPDATE streams SET head = max(head, old.offset), last_created_at = max(last_created_at, old.created_at)
       WHERE id = old.stream_id;
   END;
   CREATE TABLE leases (
     stream TEXT NOT NULL,
     processor TEXT NOT NULL,
     fence INTEGER NOT NULL,
     held INTEGER NOT NULL,
     ttl_ms REAL NOT NULL,
     expires_at REAL NOT NULL,
     PRIMARY KEY (stream, processor)
   ) WITHOUT ROWID;
   CREATE TABLE checkpoints (
     processor TEXT NOT NULL,
     scope TEXT NOT NULL,
     cursor INTEGER NOT NULL,
     PRIMARY KEY (processor, scope)
   ) WITHOUT ROWID;
   CREATE TABLE snapshots (
     stream TEXT NOT NULL,
     fold_version TEXT NOT NULL,
     contract_version TEXT NOT NULL,
     offset INTEGER NOT NULL,
     state TEXT NOT NULL,
     PRIMARY KEY (stream, fold_version, contract_version, offset)
   );`,
];

/** What a journal's file defines and this store relies on. */
const DEFINITIONS: readonly string[] = [
  "journal_schema",
  "streams",
  "events",
  "events_by_offset",
  "events_by_key",
  "events_removed",
  "leases",
  "checkpoints",
  "snapshots",
];

/** What is wrong with the names that a file's schema defines: each that is missing, in words. */
export function missingDefinitions(names: readonly string[]): string[] {
  const there = new Set(names);
  return DEFINITIONS.filter((name) => !there.has(name)).map(
    (name) => `the file's schema does not define ${name} any more`,
  );
}

/** From which version of the tables to which one a journal was brought. */
export interface Migration {
  readonly from: number;
  readonly to: number;
}

/**
 * Makes the file a journal of the current version, or refuses one that is not when nothing may be created. Looks before it
 * writes: a database of something else stays untouched. Safe when several processes do it at once, as long as each retries
 * while busy.
 */
export function prepareSchema(database: SqliteDatabase, path: string, create: boolean): Migration {
  const before = readVersion(database, path);
  if (!create && before !== SCHEMA_VERSION) throw missingJournal(path);
  // Setting what is set already takes no lock.
  const [mode] = database.prepare<{ journal_mode: string }>("PRAGMA journal_mode = WAL").all();
  if (mode?.journal_mode !== "wal") {
    throw new JournalStorageError(
      "failed",
      `${path}: SQLite cannot use a write-ahead log here; put the journal on a local disk, not on a network folder`,
    );
  }
  database.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF;");
  const to = SCHEMA_VERSION;
  if (before === to) return { from: before, to };
  database.exec("BEGIN IMMEDIATE");
  try {
    // Again inside the transaction: another process may have been faster.
    const from = readVersion(database, path);
    for (let version = from; version < to; version += 1) {
      database.exec(MIGRATIONS[version] as string);
      database.prepare("UPDATE journal_schema SET version = ?").run(version + 1);
    }
    database.exec("COMMIT");
    return { from, to };
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function readVersion(database: SqliteDatabase, path: string): number {
  const tables = database
    .prepare<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all();
  if (tables.length === 0) return 0;
  if (!tables.some(({ name }) => name === "journal_schema")) {
    throw new JournalStorageError(
      "not-a-journal",
      `${path}: the file is a database of something else; name another file for the journal`,
    );
  }
  const version =
    database.prepare<{ version: number }>("SELECT version FROM journal_schema").all()[0]?.version ?? 0;
  if (!Number.isInteger(version)) {
    throw new JournalStorageError(
      "corrupt",
      `${path}: the version of the journal's tables is not a number; restore a backup or an export of the journal`,
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new JournalStorageError(
      "newer-schema",
      `${path}: the journal was made by a newer release (schema ${version}, this one knows ` +
        `${SCHEMA_VERSION}); update @promptfold/journal`,
    );
  }
  return version;
}
