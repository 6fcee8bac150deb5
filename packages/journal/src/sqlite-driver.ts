import Database from "libsql";
import { JournalClosedError } from "./errors.ts";

/** A value that a column holds here. */
export type SqliteValue = string | number | null;

/** A prepared statement; rows come as objects by column name. */
export interface SqliteStatement<Row> {
  run(...values: SqliteValue[]): { readonly changes: number; readonly lastInsertRowid: number };
  /** Runs it with many values and gives the last row's number. */
  insert(values: SqliteValue[]): number;
  all(...values: SqliteValue[]): Row[];
  /** The first row, for statements that give one at most; cheaper than all of them. */
  get(...values: SqliteValue[]): Row | undefined;
}

/** All that the SQLite store needs of a driver: the only place that knows which driver it is. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare<Row = never>(sql: string): SqliteStatement<Row>;
  /** Prepares a statement whose rows come as arrays of their columns, which is cheaper. */
  prepareRaw<Row extends readonly SqliteValue[]>(sql: string): SqliteStatement<Row>;
  readonly inTransaction: boolean;
  /** Every use afterwards, also of a statement, throws `JournalClosedError`. */
  close(): void;
}

/**
 * Opens a file. `timeoutMs` is how long a call may block the thread while another connection holds the lock.
 * The driver resets a statement after `get` too, so that none keeps a read transaction open.
 */
export function openSqlite(path: string, timeoutMs: number): SqliteDatabase {
  let database: Database.Database | undefined = new Database(path, { timeout: timeoutMs });
  const statements: Prepared[] = [];
  const opened = (): Database.Database => {
    // The driver ends the process when it is used after closing.
    if (database === undefined) throw new JournalClosedError();
    return database;
  };
  const keep = <Row>(statement: Database.Statement): SqliteStatement<Row> => {
    const prepared: Prepared = { statement };
    statements.push(prepared);
    return wrap(prepared);
  };
  return {
    exec(sql) {
      opened().exec(sql);
    },
    prepare: (sql) => keep(opened().prepare(sql)),
    prepareRaw: (sql) => keep(opened().prepare(sql).raw()),
    get inTransaction() {
      return database?.inTransaction ?? false;
    },
    close() {
      database?.close();
      database = undefined;
      // The driver has no other way to end a statement, and a file stays open until its last one is collected.
      for (const prepared of statements.splice(0)) prepared.statement = undefined;
    },
  };
}

/** A statement of the driver; undefined once its database is closed. */
interface Prepared {
  statement: Database.Statement | undefined;
}

function wrap<Row>(prepared: Prepared): SqliteStatement<Row> {
  const usable = (): Database.Statement => {
    if (prepared.statement === undefined) throw new JournalClosedError();
    return prepared.statement;
  };
  return {
    // The driver takes an array of values as it is; separate ones it would copy together first.
    run(...values) {
      const { changes, lastInsertRowid } = usable().run(values);
      return { changes, lastInsertRowid: Number(lastInsertRowid) };
    },
    insert: (values) => Number(usable().run(values).lastInsertRowid),
    all: (...values) => usable().all(values) as Row[],
    get: (...values) => usable().get(values) as Row | undefined,
  };
}

/** SQLite's primary result code of an error that the driver threw, or `undefined` when it is another error. */
export function sqliteResultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { rawCode } = error as { rawCode?: unknown };
  if (typeof rawCode === "number") return rawCode & 0xff;
  // Opening reports its code only inside the text.
  const match = /^ConnectionFailed\("Unable to open connection to local database .*: (\d+)"\)$/s.exec(
    error.message,
  );
  return match === null ? undefined : Number(match[1]) & 0xff;
}
