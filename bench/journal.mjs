/**
 * The journal's stores beside the bare drivers and beside emmett's event stores: appends of 345-byte events in batches of
 * 1, 10 and 100, ten appends of one event at once, each to a stream of its own, and reading 10,000 events.
 *
 * The bare driver writes into a table of the same columns, indexes and pragmas and checks nothing. emmett-sqlite is measured
 * as it comes, with a connection for each call, and on one kept connection. Its driver, node-sqlite3, needs a compiler, so
 * it runs on the journal's own, which makes it faster; `NODE_SQLITE3=<folder>` takes the original from where it was built.
 */
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql";
import { getSQLiteEventStore, sqliteConnection } from "@event-driven-io/emmett-sqlite";
import { openJournal } from "@promptfold/journal";
import { startPostgres } from "@promptfold/postgres-server";
import Database from "libsql";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { named, printClaims, timeAsync } from "./measure.mjs";

const type = "agents/context-added";
const overhead = JSON.stringify({ type, payload: { role: "user", content: "" } }).length;
const payload = { role: "user", content: "x".repeat(345 - overhead) };
const source = /** @type {const} */ ({ processor: "bench", trust: "inside" });
const batches = [1, 10, 100];
const reads = 10_000;
const stream = "/agents/bench";

/** @typedef {(count: number, stream?: number) => Promise<unknown>} Append appends to the stream of that number, or the first */
/** @typedef {() => Promise<number>} Read */
/** @typedef {{ name: string, append: Append, read?: Read }} Store */

const appendOptions = { rounds: 201, warmup: 30, collect: false };
const atOnce = 10;

/** @param {number} count */
function events(count) {
  return Array.from({ length: count }, () => ({ type, payload }));
}

/** @param {string} url */
async function journalStore(url) {
  const journal = await openJournal(url);
  const handle = journal.as(source);
  /** @type {Store} */
  const store = {
    name: "journal",
    append: (count, number = 0) =>
      handle.append(number === 0 ? stream : `${stream}-${number}`, events(count)),
    async read() {
      let count = 0;
      for await (const page of handle.read(stream)) count += page.length;
      return count;
    },
  };
  return { store, close: () => journal.close() };
}

/** @returns {Map<number, number>} the last offset of each stream */
function newHeads() {
  return new Map();
}

const columns = "stream_id, offset, bytes, type, created_at, idempotency_key, source, payload";

/** @param {string} path */
function rawSqliteStore(path) {
  const database = new Database(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE events (position INTEGER PRIMARY KEY AUTOINCREMENT, stream_id INTEGER NOT NULL, offset INTEGER NOT NULL,
      bytes INTEGER NOT NULL, type TEXT NOT NULL, created_at TEXT NOT NULL, idempotency_key TEXT, source TEXT,
      payload TEXT NOT NULL);
    CREATE UNIQUE INDEX by_offset ON events (stream_id, offset);
    CREATE UNIQUE INDEX by_key ON events (stream_id, idempotency_key) WHERE idempotency_key IS NOT NULL;`);
  const insert = database.prepare(`INSERT INTO events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const select = database.prepare(
    `SELECT position, ${columns} FROM events WHERE stream_id = ? ORDER BY offset`,
  );
  const sourceText = JSON.stringify(source);
  const heads = newHeads();
  /** @type {Store} */
  const store = {
    name: "raw",
    append(count, number = 0) {
      const createdAt = new Date().toISOString();
      let head = heads.get(number) ?? 0;
      database.exec("BEGIN IMMEDIATE");
      for (const event of events(count)) {
        const text = JSON.stringify(event.payload);
        insert.run(number + 1, ++head, text.length, event.type, createdAt, null, sourceText, text);
      }
      database.exec("COMMIT");
      heads.set(number, head);
      return Promise.resolve(head);
    },
    read() {
      const rows = /** @type {{ payload: string }[]} */ (select.all(1));
      const found = rows.map((row) => ({
        ...row,
        payload: /** @type {unknown} */ (JSON.parse(row.payload)),
      }));
      return Promise.resolve(found.length);
    },
  };
  return { store, close: () => void database.close() };
}

/**
 * @param {string} name
 * @param {string} fileName
 * @param {boolean} keepsConnection
 */
function emmettSqliteStore(name, fileName, keepsConnection) {
  const connection = keepsConnection ? sqliteConnection({ fileName }) : undefined;
  const options = connection && { connectionOptions: { connection, singleton: /** @type {const} */ (true) } };
  const emmett = getSQLiteEventStore({ fileName, ...options });
  /** @type {Store} */
  const store = {
    name,
    append: (count, number = 0) =>
      emmett.appendToStream(
        number === 0 ? "agent-bench" : `agent-bench-${number}`,
        events(count).map((event) => ({ type: event.type, data: event.payload })),
      ),
    read: async () => (await emmett.readStream("agent-bench")).events.length,
  };
  return { store, close: () => connection?.close() };
}

/** @param {string} url */
async function rawPostgresStore(url) {
  const pool = new pg.Pool({ connectionString: url });
  // The server may stop before an idle connection has ended.
  pool.on("error", () => undefined);
  await pool.query(`CREATE TABLE raw_events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      stream_id bigint NOT NULL, "offset" bigint NOT NULL, bytes integer NOT NULL, type text COLLATE "C" NOT NULL,
      created_at text COLLATE "C" NOT NULL, idempotency_key text COLLATE "C", source text, payload text NOT NULL);
    CREATE UNIQUE INDEX ON raw_events (stream_id, "offset");
    CREATE UNIQUE INDEX ON raw_events (stream_id, idempotency_key) WHERE idempotency_key IS NOT NULL;`);
  const sourceText = JSON.stringify(source);
  const heads = newHeads();
  /** @type {Store} */
  const store = {
    name: "raw",
    append(count, number = 0) {
      const createdAt = new Date().toISOString();
      const batch = events(count);
      const texts = batch.map((event) => JSON.stringify(event.payload));
      const head = heads.get(number) ?? 0;
      heads.set(number, head + count);
      return pool.query(
        `INSERT INTO raw_events (${columns.replace("offset", '"offset"')})
         SELECT $8::bigint, $1::bigint + t.n, t.bytes, t.type, $2, t.key, $3, t.payload
         FROM unnest($4::text[], $5::text[], $6::integer[], $7::text[])
           WITH ORDINALITY AS t (type, payload, bytes, key, n)
         RETURNING position, "offset", created_at`,
        [
          head,
          createdAt,
          sourceText,
          batch.map((event) => event.type),
          texts,
          texts.map((text) => text.length),
          batch.map(() => null),
          number + 1,
        ],
      );
    },
    async read() {
      const { rows } = await pool.query(
        'SELECT position, "offset", type, created_at, idempotency_key, source, payload FROM raw_events WHERE stream_id = 1 ORDER BY "offset"',
      );
      return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) })).length;
    },
  };
  return { store, close: () => pool.end() };
}

/** @param {string} url */
async function emmettPostgresStore(url) {
  const emmett = getPostgreSQLEventStore(url);
  await emmett.schema.migrate();
  /** @type {Store} */
  const store = {
    name: "emmett",
    append: (count, number = 0) =>
      emmett.appendToStream(
        number === 0 ? "agent-bench" : `agent-bench-${number}`,
        events(count).map((event) => ({ type: event.type, data: event.payload })),
      ),
    read: async () => (await emmett.readStream("agent-bench")).events.length,
  };
  return { store, close: () => emmett.close() };
}

/** What the journal sends after an append, to wake followers, must not fall on whoever comes next. */
/** @type {Store} */
const pause = {
  name: "pause",
  append: () => sleep(2, true),
};

/**
 * @param {readonly Store[]} stores
 * @param {number} count events in a batch
 * @param {import("./measure.mjs").MeasureOptions} options
 */
function timeAppends(stores, count, options) {
  return timeAsync(
    stores.map(({ name, append }) => ({ name, run: () => append(count) })),
    options,
  );
}

/**
 * Ten appends of one event, called at once; by those who cannot do that, one after another.
 *
 * @param {readonly Store[]} stores
 * @param {readonly string[]} inTurn who cannot
 * @param {import("./measure.mjs").MeasureOptions} options
 */
function timeAtOnce(stores, inTurn, options) {
  const numbers = Array.from({ length: atOnce }, (_, number) => number);
  const contenders = stores.map(({ name, append }) => {
    const atOnce = () => Promise.all(numbers.map((number) => append(1, number)));
    const oneByOne = async () => {
      for (const number of numbers) await append(1, number);
      return numbers;
    };
    return { name, run: inTurn.includes(name) ? oneByOne : atOnce };
  });
  return timeAsync(contenders, options);
}

/**
 * Fills fresh stores with the same events and reads them.
 *
 * @param {readonly (() => Promise<Store>)[]} stores
 */
async function timeReads(stores) {
  const filled = [];
  for (const open of stores) {
    const store = await open();
    for (let count = 0; count < reads; count += 500) await store.append(500);
    const found = await store.read?.();
    if (found !== reads) throw new Error(`${store.name} gave ${String(found)} events`);
    filled.push(store);
  }
  return timeAsync(
    filled.map(({ name, read }) => ({ name, run: () => read?.() ?? Promise.resolve() })),
    { rounds: 11, warmup: 3 },
  );
}

const folder = mkdtempSync(join(tmpdir(), "promptfold-bench-"));
/** @type {(() => unknown)[]} */
const closing = [];

/**
 * @template {{ store: Store, close: () => unknown }} Opened
 * @param {Opened} opened
 */
function kept({ store, close }) {
  closing.push(close);
  return store;
}

async function benchSqlite() {
  const path = (/** @type {string} */ name) => join(folder, name);
  const stores = [
    kept(await journalStore(`sqlite:${path("journal.db")}`)),
    kept(rawSqliteStore(path("raw.db"))),
    kept(emmettSqliteStore("emmett", path("emmett.db"), false)),
    kept(emmettSqliteStore("emmett, kept", path("emmett-kept.db"), true)),
  ];
  const claims = [];
  for (const count of batches) {
    const times = await timeAppends(stores, count, appendOptions);
    const ours = named(times, "journal");
    const events = count === 1 ? "1 event" : `${count} events`;
    claims.push(
      { claim: `append ${events} / raw driver`, ours, theirs: named(times, "raw"), most: 1.2 },
      { claim: `append ${events} / emmett-sqlite`, ours, theirs: named(times, "emmett"), fasterBy: 6 },
      {
        claim: `append ${events} / on a kept connection`,
        ours,
        theirs: named(times, "emmett, kept"),
        fasterBy: 6,
      },
    );
  }
  // emmett-sqlite called at once fails: its transactions lock each other out, or begin inside each other.
  const together = await timeAtOnce(stores, ["emmett", "emmett, kept"], appendOptions);
  const concurrent = named(together, "journal");
  claims.push(
    { claim: "10 appends at once / raw driver", ours: concurrent, theirs: named(together, "raw") },
    {
      claim: "10 appends at once / emmett-sqlite, in turn",
      ours: concurrent,
      theirs: named(together, "emmett"),
    },
    {
      claim: "10 appends at once / kept, in turn",
      ours: concurrent,
      theirs: named(together, "emmett, kept"),
    },
  );
  const times = await timeReads([
    async () => kept(await journalStore(`sqlite:${path("journal-read.db")}`)),
    async () => kept(rawSqliteStore(path("raw-read.db"))),
    async () => kept(emmettSqliteStore("emmett", path("emmett-read.db"), true)),
  ]);
  const ours = named(times, "journal");
  claims.push(
    { claim: "read 10,000 events / raw driver", ours, theirs: named(times, "raw"), most: 1.3 },
    { claim: "read 10,000 events / emmett-sqlite", ours, theirs: named(times, "emmett") },
  );
  const driver = process.env["NODE_SQLITE3"] === undefined ? "libsql" : "node-sqlite3";
  printClaims(`SQLite, WAL, synchronous = FULL, emmett-sqlite on ${driver}; wall time of one call`, claims);
}

async function benchPostgres() {
  const server = await startPostgres();
  closing.push(async () => {
    // A pool that was ended has connections for a moment longer, and one that breaks then would end this process.
    await sleep(200);
    await server.stop();
  });
  const client = new pg.Client(server.url);
  await client.connect();
  for (const name of ["appends", "reads"]) await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = (/** @type {string} */ name) => Object.assign(new URL(server.url), { pathname: name }).href;
  const stores = [
    kept(await journalStore(url("appends"))),
    pause,
    kept(await rawPostgresStore(url("appends"))),
    kept(await emmettPostgresStore(url("appends"))),
  ];
  const claims = [];
  for (const count of batches) {
    const times = await timeAppends(stores, count, appendOptions);
    const ours = named(times, "journal");
    const events = count === 1 ? "1 event" : `${count} events`;
    claims.push(
      { claim: `append ${events} / one pg statement`, ours, theirs: named(times, "raw"), most: 1.15 },
      { claim: `append ${events} / emmett-postgresql`, ours, theirs: named(times, "emmett"), fasterBy: 2 },
    );
  }
  const together = await timeAtOnce(stores, [], appendOptions);
  const concurrent = named(together, "journal");
  claims.push(
    { claim: "10 appends at once / one pg statement each", ours: concurrent, theirs: named(together, "raw") },
    { claim: "10 appends at once / emmett-postgresql", ours: concurrent, theirs: named(together, "emmett") },
  );
  const times = await timeReads([
    async () => kept(await journalStore(url("reads"))),
    async () => kept(await rawPostgresStore(url("reads"))),
    async () => kept(await emmettPostgresStore(url("reads"))),
  ]);
  const ours = named(times, "journal");
  claims.push(
    { claim: "read 10,000 events / one pg statement", ours, theirs: named(times, "raw"), most: 1.3 },
    { claim: "read 10,000 events / emmett-postgresql", ours, theirs: named(times, "emmett") },
  );
  printClaims(`${server.version}; wall time of one call`, claims);
}

try {
  await benchSqlite();
  await benchPostgres();
} finally {
  // The server was opened first and goes last.
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
}
