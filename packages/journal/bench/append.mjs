/* global AbortController, setTimeout */
// node bench/append.mjs: the journal beside the bare drivers, interleaved in one run; medians in milliseconds.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import pg from "pg";
import { openJournal } from "@promptfold/journal";

const ROUNDS = Number(process.env.ROUNDS ?? 300);
const payload = { role: "user", content: "x".repeat(345 - 33) };
const text = JSON.stringify(payload);
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function interleave(rows) {
  const times = new Map(rows.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of rows) {
      const start = performance.now();
      await run(round);
      if (round > 20) times.get(name).push(performance.now() - start);
    }
  }
  return Object.fromEntries([...times].map(([name, values]) => [name, median(values)]));
}

const print = (what, result) =>
  console.log(
    what.padEnd(28),
    Object.entries(result)
      .map(([name, ms]) => `${name} ${ms.toFixed(3)}`)
      .join("   "),
  );

const folder = mkdtempSync(join(tmpdir(), "promptfold-bench-"));
const journal = await openJournal(`sqlite:${join(folder, "journal.db")}`);
const handle = journal.as({ processor: "bench", trust: "inside" });
const raw = new Database(join(folder, "raw.db"));
raw.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE events (position INTEGER PRIMARY KEY AUTOINCREMENT, stream_id INTEGER, offset INTEGER, type TEXT,
    created_at TEXT, idempotency_key TEXT, source TEXT, payload TEXT);
  CREATE UNIQUE INDEX by_offset ON events (stream_id, offset);`);
const insert = raw.prepare(
  "INSERT INTO events (stream_id, offset, type, created_at, source, payload) VALUES (1, ?, ?, ?, ?, ?)",
);
let offset = 0;
for (const size of [1, 10, 100]) {
  const events = Array.from({ length: size }, () => ({ type: "bench/event", payload }));
  const result = await interleave([
    ["journal", () => handle.append("/bench", events)],
    [
      "raw",
      () => {
        raw.exec("BEGIN IMMEDIATE");
        for (let n = 0; n < size; n += 1)
          insert.run((offset += 1), "bench/event", new Date().toISOString(), "{}", text);
        raw.exec("COMMIT");
      },
    ],
  ]);
  print(`SQLite append ${size}`, { ...result, ratio: result.journal / result.raw });
}
{
  const select = raw.prepare(
    "SELECT position, offset, type, created_at, source, payload FROM events WHERE stream_id = 1 AND offset > ? ORDER BY offset LIMIT ?",
  );
  const rounds = [];
  const bare = [];
  for (let round = 0; round < 15; round += 1) {
    let start = performance.now();
    for await (const page of journal.read("/bench", { through: 10_000, pageSize: 1_000 }))
      if (page.length === 0) throw new Error();
    rounds.push(performance.now() - start);
    start = performance.now();
    for (let after = 0; after < 10_000; after += 1_000)
      select.all(after, 1_000).map((row) => JSON.parse(row.payload));
    bare.push(performance.now() - start);
  }
  print("SQLite read 10k", {
    journal: median(rounds),
    raw: median(bare),
    ratio: median(rounds) / median(bare),
  });
}
{
  const other = await openJournal(`sqlite:${join(folder, "journal.db")}`);
  const abort = new AbortController();
  const arrivals = new Map();
  const tail = (async () => {
    const after = await other.head("/tail");
    for await (const event of other.subscribe({ stream: "/tail" }, { after, signal: abort.signal }))
      arrivals.get(event.offset)?.(performance.now());
  })();
  const latencies = [];
  for (let n = 1; n <= 300; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, 3));
    const arrived = new Promise((resolve) => arrivals.set(n, resolve));
    await handle.append("/tail", [{ type: "bench/event", payload }]);
    const committed = performance.now();
    latencies.push((await arrived) - committed);
  }
  abort.abort();
  await tail;
  await other.close();
  print("SQLite tail, two journals", { p50: median(latencies) });
}
await journal.close();
raw.close();
rmSync(folder, { recursive: true, force: true });

if (process.env.POSTGRES_URL) {
  const schema = `bench_${randomUUID().slice(0, 8)}`;
  const store = await openJournal(`${process.env.POSTGRES_URL}?schema=${schema}`);
  const writer = store.as({ processor: "bench", trust: "inside" });
  const client = new pg.Client(process.env.POSTGRES_URL);
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}_raw; CREATE TABLE ${schema}_raw.events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, stream_id bigint, stream_offset bigint,
    type text, created_at text, source text, payload text); CREATE UNIQUE INDEX ON ${schema}_raw.events (stream_id, stream_offset);
    CREATE TABLE ${schema}_raw.streams (id bigint PRIMARY KEY, head bigint); INSERT INTO ${schema}_raw.streams VALUES (1, 0);`);
  const sql = `WITH s AS (UPDATE ${schema}_raw.streams SET head = head + $1 WHERE id = 1 RETURNING head - $1 AS before)
    INSERT INTO ${schema}_raw.events (stream_id, stream_offset, type, created_at, source, payload)
    SELECT 1, s.before + t.n, t.type, $2, $3, t.payload FROM s, unnest($4::text[], $5::text[]) WITH ORDINALITY AS t (type, payload, n) RETURNING position, stream_offset`;
  for (const size of [1, 10, 100]) {
    const events = Array.from({ length: size }, () => ({ type: "bench/event", payload }));
    const result = await interleave([
      ["journal", () => writer.append("/bench", events)],
      [
        "raw",
        () =>
          client.query(sql, [
            size,
            new Date().toISOString(),
            "{}",
            events.map(() => "bench/event"),
            events.map(() => text),
          ]),
      ],
    ]);
    print(`PostgreSQL append ${size}`, { ...result, ratio: result.journal / result.raw });
  }
  await client.query(`DROP SCHEMA ${schema}_raw CASCADE`);
  const reads = [];
  const bare = [];
  for (let round = 0; round < 15; round += 1) {
    let start = performance.now();
    for await (const page of store.read("/bench", { through: 10_000, pageSize: 1_000 }))
      if (page.length === 0) throw new Error();
    reads.push(performance.now() - start);
    start = performance.now();
    for (let after = 0; after < 10_000; after += 1_000)
      (
        await client.query(
          `SELECT position, stream_offset, type, created_at, idempotency_key, source, payload FROM ${schema}.events WHERE stream_id = 1 AND stream_offset > $1 ORDER BY stream_offset LIMIT 1000`,
          [after],
        )
      ).rows.map((row) => JSON.parse(row.payload));
    bare.push(performance.now() - start);
  }
  print("PostgreSQL read 10k", {
    journal: median(reads),
    raw: median(bare),
    ratio: median(reads) / median(bare),
  });
  const other = await openJournal(`${process.env.POSTGRES_URL}?schema=${schema}`);
  const arrivals = new Map();
  const abort = new AbortController();
  const tail = (async () => {
    for await (const event of other.subscribe({ stream: "/tail" }, { signal: abort.signal }))
      arrivals.get(event.offset)?.(performance.now());
  })();
  const latencies = [];
  for (let n = 1; n <= 300; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, 3));
    const arrived = new Promise((resolve) => arrivals.set(n, resolve));
    await writer.append("/tail", [{ type: "bench/event", payload }]);
    const committed = performance.now();
    latencies.push((await arrived) - committed);
  }
  abort.abort();
  await tail;
  print("PostgreSQL tail", { p50: median(latencies) });
  await other.close();
  await store.close();
  await client.query(`DROP SCHEMA ${schema} CASCADE`);
  await client.end();
}
