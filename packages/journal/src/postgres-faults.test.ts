import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { startPostgres, type PostgresServer } from "@promptfold/postgres-server";
import pg from "pg";
import { afterAll, beforeAll, describe, it } from "vitest";
import { rawAppend } from "./fixtures/raw-append.ts";
import { eventually, quietFor } from "./fixtures/waiting.ts";
import type { CommittedEvent, Journal } from "./journal.ts";
import { createJournal } from "./create-journal.ts";
import { openJournal, type OpenJournalOptions } from "./open-journal.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import { openPostgresStore } from "./postgres.ts";
import { INSIDE, numbered, readAll, take } from "./testing/subject.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ fsync: false });
}, 120_000);
afterAll(() => server.stop());

const closing: (() => Promise<unknown>)[] = [];
async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close().catch(() => undefined);
}

let schemas = 0;
interface Context {
  readonly schema: string;
  readonly url: string;
  readonly raw: pg.Client;
  open(options?: OpenJournalOptions & { readonly user?: string }): Promise<Journal>;
}

/**
 * A schema of its own and a bare connection; `closeAll` closes what was opened. Journals wait for the server as long as a test
 * may take, since a slow machine may need long to start it again.
 */
async function fresh(): Promise<Context> {
  const schema = `broken_${String((schemas += 1))}`;
  const url = `${server.url}?schema=${schema}`;
  const raw = await rawClient();
  const open: Context["open"] = async ({ user = "postgres", ...options } = {}) => {
    const journal = await openJournal(url.replace("postgres@", `${user}@`), {
      reconnectMs: 60_000,
      ...options,
    });
    closing.push(() => journal.close());
    return journal;
  };
  return { schema, url, raw, open };
}

async function rawClient(): Promise<pg.Client> {
  const client = new pg.Client(server.url);
  client.on("error", () => undefined);
  await client.connect();
  closing.push(() => client.end());
  return client;
}

const OTHERS = "FROM pg_stat_activity WHERE application_name = 'promptfold-journal'";

/** Waits until one of the journal's statements waits for a lock, and does something to it. */
async function onceWaiting(raw: pg.Client, act: string): Promise<void> {
  await eventually(async () => {
    // Inside a transaction the view stands still until it is told not to.
    await raw.query("SELECT pg_stat_clear_snapshot()");
    const { rowCount } = await raw.query(`SELECT ${act} ${OTHERS} AND wait_event_type = 'Lock'`);
    assert.equal(rowCount, 1);
  });
}

/** Follows everything from the start; `seen` grows. */
function follow(journal: Journal): CommittedEvent[] {
  const seen: CommittedEvent[] = [];
  const abort = new AbortController();
  const tail = (async () => {
    for await (const event of journal.subscribe({ prefix: "/" }, { signal: abort.signal })) seen.push(event);
  })();
  closing.push(() => {
    abort.abort();
    return tail;
  });
  return seen;
}

describe("PostgreSQL: a connection that breaks", () => {
  it("between two statements ends no process, and what was not committed runs again", async () => {
    const { raw, url } = await fresh();
    const connection = new PostgresConnection(url, {});
    const pids: number[] = [];
    await connection.transaction(async (query) => {
      const [row] = await query("SELECT pg_backend_pid() AS pid");
      pids.push(row?.["pid"] as number);
      if (pids.length > 1) return;
      await raw.query("SELECT pg_terminate_backend($1)", pids);
      await quietFor(200);
      await query("SELECT 1");
    });
    assert.equal(new Set(pids).size, 2);
    await connection.close();
    await closeAll();
  });

  it("all of them, again and again, under appends without keys, gives unknown outcomes only", async () => {
    const { raw, open } = await fresh();
    const journal = await open();
    const codes = new Set<string>();
    let [isOver, acknowledged] = [false, 0];
    const writers = Array.from({ length: 4 }, async (_, n) => {
      while (!isOver) {
        try {
          await journal.as(INSIDE).append(`/s${n}`, numbered(1));
          acknowledged += 1;
        } catch (error) {
          codes.add((error as { code?: string }).code ?? String(error));
        }
      }
    });
    for (let round = 0; round < 30 || codes.size === 0; round += 1) {
      const before = acknowledged;
      await eventually(() => {
        assert.ok(acknowledged > before);
      });
      // At any moment of what the writers do next.
      await quietFor(Math.random() * 20);
      await raw.query(`SELECT pg_terminate_backend(pid) ${OTHERS}`);
    }
    isOver = true;
    await Promise.all(writers);
    assert.deepEqual([...codes], ["append-outcome-unknown"]);
    assert.deepEqual((await journal.verify()).problems, []);
    await closeAll();
  });

  it("under a keyed append that landed, and stays broken, says that the outcome is unknown", async () => {
    const { schema, url, open } = await fresh();
    const { port, hostname } = new URL(server.url);
    let isCut = false;
    const proxy = createServer((client) => {
      if (isCut) return client.destroy();
      const upstream = connect(Number(port), hostname);
      for (const socket of [client, upstream]) socket.on("error", () => undefined);
      client.on("data", (data) => {
        isCut ||= data.includes("landed");
        upstream.write(data);
      });
      upstream.on("data", (data) => {
        if (isCut) client.destroy();
        else client.write(data);
      });
      return undefined;
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const through = new URL(url);
    through.port = String((proxy.address() as AddressInfo).port);
    const journal = await openJournal(through.href, { reconnectMs: 300 });
    const events = [{ type: "test/landed", payload: 1, idempotencyKey: "landed" }];
    await assert.rejects(journal.as(INSIDE).append("/a", events), { code: "append-outcome-unknown" });
    await assert.rejects(journal.head("/a"), { code: "storage-unreachable" });
    assert.equal(await (await open()).head("/a"), 1, schema);
    await journal.close();
    proxy.close();
    await closeAll();
  });
});

describe("PostgreSQL: a journal that lost its latest positions", () => {
  it("after a crash, what is appended in their place reaches followers in order", async () => {
    const { schema, raw, open } = await fresh();
    // The log's writer sleeps, so that only commits reach the disk.
    await raw.query("ALTER SYSTEM SET wal_writer_delay = '10s'");
    await raw.query("SELECT pg_reload_conf()");
    const handle = (await open()).as(INSIDE);
    await handle.append("/before", numbered(2));
    const seen = follow(await open());
    await raw.query("BEGIN");
    await raw.query(rawAppend(schema, "/lost"));
    await raw.query(`SELECT nextval('${schema}.positions') FROM generate_series(1, 300)`);
    await quietFor(700);
    await server.crash();
    await quietFor(1_200);
    await expectOrder(schema, handle, seen, ["/before", "/before"]);
    const reset = await rawClient();
    await reset.query("ALTER SYSTEM RESET wal_writer_delay");
    await reset.query("SELECT pg_reload_conf()");
    await closeAll();
  });

  it("after a failover that lost events, who begins anew sees all in order", async () => {
    const { schema, raw, open } = await fresh();
    const journal = await open();
    const handle = journal.as(INSIDE);
    await handle.append("/before", numbered(6));
    const seen = follow(journal);
    await eventually(() => {
      assert.equal(seen.length, 6);
    });
    await quietFor(700);
    await raw.query(`DELETE FROM ${schema}.events WHERE stream_offset > 2;
      UPDATE ${schema}.streams SET head = 2; SELECT setval('${schema}.positions', 2)`);
    await raw.query(`SELECT pg_terminate_backend(pid) ${OTHERS}`);
    await expectOrder(schema, handle, follow(journal), ["/before", "/before"]);
    await closeAll();
  });

  /** Commits `/late` after `/early` though its position is lower. */
  async function expectOrder(
    schema: string,
    handle: ReturnType<Journal["as"]>,
    seen: readonly CommittedEvent[],
    before: readonly string[],
  ): Promise<void> {
    const streams = (): string[] => seen.map(({ stream }) => stream);
    const expectSeen = async (expected: readonly string[]): Promise<void> => {
      await eventually(() => {
        assert.deepEqual(streams(), expected);
      });
    };
    await expectSeen(before);
    const raw = await rawClient();
    await raw.query("BEGIN");
    const late = await raw.query<{ position: string }>(rawAppend(schema, "/late"));
    const [early] = await handle.append("/early", [
      { type: "test/early", payload: 1, idempotencyKey: "early" },
    ]);
    assert.ok((early?.position ?? 0) > Number(late.rows[0]?.position));
    await quietFor(800);
    assert.deepEqual(streams(), before);
    await raw.query("COMMIT");
    await expectSeen([...before, "/late", "/early"]);
  }
});

describe("PostgreSQL: a database with a language's collation", () => {
  it("locks leases in one order, and sorts names by code points", async ({ skip }) => {
    const admin = await rawClient();
    const { rowCount } = await admin.query("SELECT FROM pg_collation WHERE collname = 'en-x-icu'");
    if (rowCount === 0) skip("this server knows no languages");
    await admin.query(
      "CREATE DATABASE english TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' ENCODING 'UTF8'",
    );
    const url = server.url.replace(/postgres$/, "english");
    const journal = await openJournal(url);
    const raw = new pg.Client(url);
    await raw.connect();
    const lease = (stream: string): Promise<{ release(): Promise<void> } | undefined> =>
      journal.lease({ stream, processor: "p" }, { ttlMs: 60_000, wait: false });
    for (const stream of ["/a", "/B"]) {
      await journal.as(INSIDE).append(stream, numbered(1));
      await (await lease(stream))?.release();
    }
    const names: string[] = [];
    for await (const name of journal.streams()) names.push(name);
    assert.deepEqual(names, ["/B", "/a"]);
    // Whoever holds /B must meet all others before they have /a.
    const row = (stream: string): string =>
      `SELECT FROM promptfold.leases WHERE stream = '${stream}' FOR UPDATE NOWAIT`;
    await raw.query("BEGIN");
    await raw.query(row("/B"));
    const taken = ["/first", "/a", "/B"].map(lease);
    await onceWaiting(raw, "pid");
    await raw.query(row("/a"));
    await raw.query("COMMIT");
    const held = await Promise.all(taken);
    assert.ok(held.every((one) => one !== undefined));
    await Promise.all(held.map((one) => one.release()));
    await raw.end();
    await journal.close();
    await closeAll();
  });
});

describe("PostgreSQL: rights and settings of a user", () => {
  it("who may only read follows over a gap in the positions", async () => {
    const { schema, raw, open } = await fresh();
    const handle = (await open()).as(INSIDE);
    const committed = [...(await handle.append("/a", numbered(1)))];
    await raw.query(`CREATE ROLE looks LOGIN; GRANT USAGE ON SCHEMA ${schema} TO looks;
      GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO looks`);
    const reader = await open({ user: "looks", create: false });
    const followed = take(reader.subscribe({ prefix: "/" }), 2);
    await raw.query(`SELECT nextval('${schema}.positions')`);
    committed.push(...(await handle.append("/a", numbered(1))));
    assert.deepEqual(await followed, committed);
    await raw.query(`REVOKE SELECT ON ${schema}.events FROM looks`);
    await assert.rejects(readAll(reader, "/a"), {
      code: "storage-read-only",
      message: /the user lacks a right \(permission denied for table events\)/,
    });
    await closeAll();
  });

  it.each([
    ["statement_timeout = '200ms'", "pid"],
    ["lock_timeout = '200ms'", "pid"],
    ["search_path = public", "pg_cancel_backend(pid)"],
  ])("an append that is cut off waits its turn again: %s", async (setting, act) => {
    const { schema, raw, open } = await fresh();
    const user = `hurried_${schema}`;
    await raw.query(`CREATE ROLE ${user} LOGIN SUPERUSER; ALTER ROLE ${user} SET ${setting}`);
    // Whoever is not in a hurry makes the tables.
    await (await open()).as(INSIDE).append("/a", numbered(1));
    const journal = await open({ user });
    const handle = journal.as(INSIDE);
    await raw.query("BEGIN");
    await raw.query(`SELECT ${schema}.lock_stream('/a')`);
    const appended = handle.append("/a", numbered(1, 1));
    const outcome = Promise.allSettled([appended]);
    await onceWaiting(raw, act);
    await quietFor(500);
    await raw.query("COMMIT");
    assert.equal((await outcome)[0].status, "fulfilled");
    assert.equal(await journal.head("/a"), 2);
    await closeAll();
  });

  it("an append that is cut off for longer than it may wait is told that others were in the way", async () => {
    const { schema, raw, open } = await fresh();
    // Not its statement_timeout, which would cut off what is only slow.
    await raw.query("CREATE ROLE hasty LOGIN SUPERUSER; ALTER ROLE hasty SET lock_timeout = '200ms'");
    const patient = await open();
    await patient.as(INSIDE).append("/a", numbered(1));
    const hasty = await open({ user: "hasty", reconnectMs: 300 });
    await raw.query("BEGIN");
    await raw.query(`SELECT ${schema}.lock_stream('/a')`);
    await assert.rejects(hasty.as(INSIDE).append("/a", numbered(1)), { code: "storage-busy" });
    await raw.query("COMMIT");
    assert.equal(await patient.head("/a"), 1);
    await closeAll();
  });

  it("an append that gets no connection for as long as it may wait is told so, and that nothing was sent", async () => {
    const { schema, raw, open } = await fresh();
    const journal = await open({ poolSize: 1, reconnectMs: 300 });
    const handle = journal.as(INSIDE);
    await handle.append("/a", numbered(1));
    await raw.query("BEGIN");
    await raw.query(`SELECT ${schema}.lock_stream('/a')`);
    const first = handle.append("/a", numbered(1));
    await onceWaiting(raw, "pid");
    await assert.rejects(handle.append("/b", numbered(1)), {
      code: "storage-busy",
      message: /every connection of the pool was in use/,
    });
    await raw.query("COMMIT");
    assert.equal((await first)[0]?.offset, 2);
    await closeAll();
  });

  it.each(["repeatable read", "serializable"])("first openers at once under %s", async (isolation) => {
    const { raw } = await fresh();
    const user = `isolated_${isolation.replace(" ", "_")}`;
    await raw.query(
      `CREATE ROLE ${user} LOGIN SUPERUSER; ALTER ROLE ${user} SET default_transaction_isolation = '${isolation}'`,
    );
    for (let round = 0; round < 5; round += 1) {
      const { open } = await fresh();
      const journals = await Promise.all(Array.from({ length: 4 }, () => open({ user })));
      await Promise.all(journals.map((journal) => journal.as(INSIDE).append("/a", numbered(1))));
      assert.equal(await journals[0]?.head("/a"), 4);
    }
    await closeAll();
  });
});

describe("PostgreSQL: several readers at one gap", () => {
  it("what another one settled meanwhile counts", async () => {
    const { schema, url, raw } = await fresh();
    const store = await openPostgresStore(url, { clock: Date.now, leaseClock: undefined });
    closing.push(() => store.close());
    const journal = createJournal(store);
    let after = 0;
    for (let round = 0; round < 50; round += 1) {
      await raw.query(`SELECT nextval('${schema}.positions')`);
      const committed = await journal.as(INSIDE).append("/a", numbered(2));
      const readers: Promise<unknown>[] = [];
      // One by one, so that some begin before another one has settled the gap and end after it.
      for (let reader = 0; reader < 8; reader += 1) {
        readers.push(
          store.events.readPrefix("/", { after, limit: 10 }).then(({ events }) => {
            assert.deepEqual(events, committed);
          }),
        );
        for (let turn = 0; turn < round % 8; turn += 1) await nextTurn();
      }
      await Promise.all(readers);
      after = committed[1]?.position ?? 0;
    }
    await closeAll();
  });
});
