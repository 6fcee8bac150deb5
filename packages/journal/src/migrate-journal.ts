import { InvalidJournalUrlError } from "./errors.ts";
import { readJournalUrl } from "./journal-url.ts";

/** What {@link migrateJournal} did; the versions are those of the tables. */
export interface MigrationReport {
  /** The journal's place, fit to be shown: a path, or a database's address and schema without user and password. */
  readonly place: string;
  /** The version found; 0 when there was no journal. */
  readonly from: number;
  /** The version that is there now. */
  readonly to: number;
}

/**
 * Creates the journal's tables, or brings them up to date, and says what there was to do. Opening a journal does the same;
 * this lets a user with more rights do it once, so that those who run agents need not be allowed to create tables.
 * Throws `InvalidJournalUrlError`, also for `memory:`, and `JournalStorageError` when it cannot be done.
 */
export async function migrateJournal(url: string): Promise<MigrationReport> {
  const named = readJournalUrl(url);
  switch (named.store) {
    case "memory":
      throw new InvalidJournalUrlError(
        "memory: has no tables to migrate; name a journal that lasts, as in sqlite:<path>",
      );
    case "sqlite": {
      const { SqliteConnection } = await import("./sqlite-connection.ts");
      const connection = await SqliteConnection.open(named.path, { busyTimeoutMs: 10_000, create: true });
      await connection.close();
      return { place: named.path, ...connection.migration };
    }
    case "postgres": {
      const { PostgresConnection } = await import("./postgres-connection.ts");
      const connection = new PostgresConnection(named.url, { poolSize: 1 });
      try {
        return { place: connection.place, ...(await connection.migrate()) };
      } finally {
        await connection.close();
      }
    }
  }
}
