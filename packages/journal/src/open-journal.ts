import { createJournal } from "./create-journal.ts";
import { monotonicClock, uptimeClock, type Clock } from "./clock.ts";
import type { Journal } from "./journal.ts";
import { readJournalUrl } from "./journal-url.ts";
import { createMemoryStore } from "./memory.ts";

/** How {@link openJournal} opens a journal. */
export interface OpenJournalOptions {
  /**
   * Whether to create the journal, or to bring its tables up to date, where that is needed. Default true. With false, opening
   * changes nothing, and a journal that is not there is `storage-missing`: for those who only read. `memory:` is always new.
   */
  readonly create?: boolean | undefined;
  /** Milliseconds since 1970 for `createdAt` and leases. Default: {@link monotonicClock}. */
  readonly clock?: Clock | undefined;
  /** SQLite: milliseconds between looks for what other processes appended. Default 1. */
  readonly pollIntervalMs?: number | undefined;
  /** SQLite: how long to wait for another writer, in milliseconds, before `storage-busy`. Default 10,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** PostgreSQL: connections in the pool at most. Default 10; one more is used for wake-ups. */
  readonly poolSize?: number | undefined;
  /** PostgreSQL: how long to keep trying while the server is away, in milliseconds, before `storage-unreachable`. Default 10,000. */
  readonly reconnectMs?: number | undefined;
}

/**
 * Opens the journal that a URL names: `memory:` (empty, private, gone when closed), `sqlite:<path>` (created when missing;
 * a relative path counts from the working directory of this moment) or `postgres://…` (its tables are created on first
 * use, in the schema that `?schema=` names, by default `promptfold`). With `create: false` nothing is created.
 * Throws `InvalidJournalUrlError` for any other URL and `JournalStorageError` when the store cannot be opened.
 */
export async function openJournal(url: string, options: OpenJournalOptions = {}): Promise<Journal> {
  const clock = options.clock ?? monotonicClock;
  const place = readJournalUrl(url);
  switch (place.store) {
    case "memory":
      return createJournal(createMemoryStore(clock));
    case "sqlite": {
      const { openSqliteStore } = await import("./sqlite.ts");
      const leaseClock = options.clock ?? uptimeClock;
      return createJournal(await openSqliteStore(place.path, { ...options, clock, leaseClock }));
    }
    case "postgres": {
      const { openPostgresStore } = await import("./postgres.ts");
      return createJournal(
        await openPostgresStore(place.url, { ...options, clock, leaseClock: options.clock }),
      );
    }
  }
}
