import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { InvalidJournalUrlError, JournalClosedError, JournalStorageError, missingJournal } from "./errors.ts";
import {
  isConnectionLoss,
  isLostStatement,
  isTransient,
  isUnsent,
  postgresError,
} from "./postgres-errors.ts";
import { migrationSql, POSTGRES_MIGRATIONS, POSTGRES_SCHEMA_VERSION } from "./postgres-schema.ts";

/** A row by column name. */
export type Row = Record<string, unknown>;

/** How the PostgreSQL store connects. */
export interface PostgresConnectionOptions {
  /** Connections in the pool at most. Default 10. */
  readonly poolSize?: number | undefined;
  /** How long to keep trying when the server cannot be reached, in milliseconds. Default 10,000. */
  readonly reconnectMs?: number | undefined;
}

/** How {@link PostgresConnection.execute} treats a connection that breaks. */
export interface ExecuteOptions {
  /** Prepares the statement under this name, once for each connection. */
  readonly name?: string;
  readonly isRepeatable: boolean;
  readonly onLoss: (cause: unknown) => Error;
}

/** A pool of connections to one journal's schema; the only file that knows the driver, but for the listening one. */
export class PostgresConnection {
  /** The schema's name, quoted for SQL. */
  readonly schema: string;
  /** The two keys of the advisory lock that appends share. */
  readonly lockKeys: readonly [number, number];
  /** The channel for wake-ups: short whatever the schema is called, since longer names are cut silently. */
  readonly channel: string;
  /** Where the journal is, fit to be shown. */
  readonly place: string;
  readonly #config: pg.ClientConfig;
  readonly #where: string;
  readonly #schemaName: string;
  readonly #pool: pg.Pool;
  readonly #reconnectMs: number;
  /** Whether prepared statements work here. */
  #prepares = true;
  #opened = 0;
  #closed = false;

  constructor(url: string, options: PostgresConnectionOptions) {
    const { connectionString, schema, where } = readUrl(url);
    this.#schemaName = schema;
    this.schema = pg.escapeIdentifier(schema);
    const hash = hashText(schema);
    this.lockKeys = [0x70726f6d, hash];
    this.channel = `promptfold_${hash.toString(16)}`;
    this.#where = where;
    this.place = `${where}, schema ${schema}`;
    this.#reconnectMs = options.reconnectMs ?? 10_000;
    const types = new pg.TypeOverrides();
    // Offsets and positions stay far below 2^53.
    types.setTypeParser(pg.types.builtins.INT8, Number);
    this.#config = {
      connectionString,
      application_name: "promptfold-journal",
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      types,
    };
    this.#pool = new pg.Pool({ ...this.#config, max: options.poolSize ?? 10 });
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => {
      this.#opened += 1;
      // The pool listens only while a connection is idle; one that breaks in use would end the process.
      client.on("error", () => undefined);
    });
  }

  /**
   * How many connections the pool has opened so far. While this stands still, every statement was answered by the server
   * of before: a server that crashed or gave way to another leaves no connection open.
   */
  get opened(): number {
    return this.#opened;
  }

  /** A client outside the pool, connected. */
  async connectAlone(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }

  /**
   * Runs a statement that may safely run twice; tries again while the server is away. A statement with a name is prepared
   * once for each connection. Throws typed errors.
   */
  query(sql: string, values: readonly unknown[] = [], name?: string): Promise<Row[]> {
    return this.#retrying(() => this.#run(this.#pool, sql, values, name));
  }

  async #run(
    target: pg.Pool | pg.ClientBase,
    sql: string,
    values: readonly unknown[],
    name: string | undefined,
  ): Promise<Row[]> {
    const plain = { text: sql, values: [...values] };
    if (name === undefined || !this.#prepares) return (await target.query<Row>(plain)).rows;
    try {
      return (await target.query<Row>({ ...plain, name })).rows;
    } catch (error) {
      if (!isLostStatement(error)) throw error;
      // A pooler gave the session to somebody else. Nothing ran: the statement was not there, or its name was taken.
      this.#prepares = false;
      return (await target.query<Row>(plain)).rows;
    }
  }

  /**
   * Runs one statement whose outcome somebody must know. `isRepeatable` says that a second attempt finds out what became
   * of the first; without it, what was sent is not sent again. `onLoss` makes the error for a connection that broke after
   * the statement was sent, when no later attempt could tell.
   */
  async execute(
    sql: string,
    values: readonly unknown[],
    { name, isRepeatable, onLoss }: ExecuteOptions,
  ): Promise<Row[]> {
    const sending = { isLost: false };
    const attempt = async (): Promise<Row[]> => {
      const client = await this.#pool.connect();
      let isBroken = false;
      try {
        return await this.#run(client, sql, values, name);
      } catch (error) {
        isBroken = isConnectionLoss(error);
        if (isBroken && !isUnsent(error)) sending.isLost = true;
        throw error;
      } finally {
        client.release(isBroken);
      }
    };
    try {
      return await this.#retrying(attempt, () => isRepeatable || !sending.isLost);
    } catch (error) {
      throw sending.isLost ? onLoss(error) : error;
    }
  }

  /**
   * Runs statements in one transaction, again if it was not committed. `onLoss` makes the error for a connection that broke
   * while committing; without it the body may run again then, too.
   */
  async transaction<Result>(
    body: (query: (sql: string, values?: readonly unknown[]) => Promise<Row[]>) => Promise<Result>,
    onLoss?: (cause: unknown) => Error,
  ): Promise<Result> {
    return this.#retrying(async () => {
      const client = await this.#pool.connect();
      let [isBroken, isCommitting] = [false, false];
      try {
        // Each statement must see what was committed while it waited for a lock, whatever the user's default is.
        await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
        const result = await body(
          async (sql, values = []) => (await client.query<Row>(sql, [...values])).rows,
        );
        isCommitting = true;
        await client.query("COMMIT");
        return result;
      } catch (error) {
        isBroken = isConnectionLoss(error);
        const isUnknown = isBroken && isCommitting && !isUnsent(error);
        if (!isBroken) await client.query("ROLLBACK").catch(() => (isBroken = true));
        throw isUnknown && onLoss !== undefined ? onLoss(error) : error;
      } finally {
        client.release(isBroken);
      }
    });
  }

  async #retrying<Result>(
    work: () => Promise<Result>,
    mayRepeat: () => boolean = () => true,
  ): Promise<Result> {
    const deadline = performance.now() + this.#reconnectMs;
    for (let waitMs = 10; ; waitMs = Math.min(waitMs * 2, 250)) {
      if (this.#closed) throw new JournalClosedError();
      try {
        return await work();
      } catch (error) {
        if (this.#isClosed()) throw new JournalClosedError();
        const again = mayRepeat() && (isConnectionLoss(error) || isTransient(error));
        if (!again || performance.now() >= deadline) throw postgresError(error, this.#where);
      }
      await sleep(waitMs * (0.5 + Math.random()));
    }
  }

  /** Asked through a method, because the compiler takes a field that it has seen for constant across an await. */
  #isClosed(): boolean {
    return this.#closed;
  }

  /** Brings the schema to the current version, creating it when it is missing; safe when many processes do it at once. */
  async migrate(): Promise<{ readonly from: number; readonly to: number }> {
    const to = POSTGRES_SCHEMA_VERSION;
    const found = await this.#version((sql, values) => this.query(sql, values));
    if (found === to) return { from: found, to };
    return this.transaction(async (query) => {
      await query(`SELECT pg_advisory_xact_lock(${this.lockKeys.join(", ")})`);
      const [encoding] = await query("SHOW server_encoding");
      if (encoding?.["server_encoding"] !== "UTF8") {
        throw new JournalStorageError(
          "failed",
          `${this.#where}: the database's encoding is not UTF8; create one that is`,
        );
      }
      const from = await this.#version(query);
      if (from === 0) await query(`CREATE SCHEMA IF NOT EXISTS ${this.schema}`);
      for (let version = from; version < to; version += 1) {
        await query(migrationSql(POSTGRES_MIGRATIONS[version] as string, this.schema, this.lockKeys));
        await query(`UPDATE ${this.schema}.journal_schema SET version = $1`, [version + 1]);
      }
      return { from, to };
    });
  }

  /** Throws `storage-missing` unless the schema is there in the current version; changes nothing. */
  async checkSchema(): Promise<void> {
    const found = await this.#version((sql, values) => this.query(sql, values));
    if (found !== POSTGRES_SCHEMA_VERSION) throw missingJournal(this.place);
  }

  async #version(query: (sql: string, values?: readonly unknown[]) => Promise<Row[]>): Promise<number> {
    // The catalog itself, since to_regclass may answer from before the lock that this waited for.
    const [there] = await query(
      `SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND c.relname = 'journal_schema'`,
      [this.#schemaName],
    );
    if (there === undefined) return 0;
    const [row] = await query(`SELECT version FROM ${this.schema}.journal_schema`);
    const version = Number(row?.["version"] ?? 0);
    if (version > POSTGRES_SCHEMA_VERSION) {
      throw new JournalStorageError(
        "newer-schema",
        `${this.#where}: the journal was made by a newer release (schema ${version}, this one knows ` +
          `${POSTGRES_SCHEMA_VERSION}); update @promptfold/journal`,
      );
    }
    return version;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.end();
  }
}

/** `?schema=` names the journal's schema and is not the driver's business. */
function readUrl(url: string): { connectionString: string; schema: string; where: string } {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new InvalidJournalUrlError(
      "the PostgreSQL URL cannot be read; write postgres://user:password@host:5432/database",
    );
  }
  const schema = parsed.searchParams.get("schema") ?? "promptfold";
  if (schema === "" || Buffer.byteLength(schema) > 63 || /[\u0000-\u001f]/.test(schema)) {
    throw new InvalidJournalUrlError(
      "the schema in the PostgreSQL URL is empty, too long or unprintable; name one of 1 to 63 bytes",
    );
  }
  parsed.searchParams.delete("schema");
  const where = `postgres://${parsed.host}${parsed.pathname}`;
  return { connectionString: parsed.href, schema, where };
}

/** FNV-1a, 31 bits: tells schemas apart in lock keys and channel names. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash & 0x7fffffff;
}
