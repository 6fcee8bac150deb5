import assert from "node:assert/strict";
import { startPostgres, type PostgresServer } from "@promptfold/postgres-server";
import pg from "pg";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { oneKeyManyCallers, twoProcesses } from "./fixtures/concurrent-writers.ts";
import { journalLaws } from "./fixtures/journal-laws.ts";
import { KILL_ROUNDS, killedSessions, killRounds, killUnderTail } from "./fixtures/kill-rounds.ts";
import { rawAppend } from "./fixtures/raw-append.ts";
import { postgresStore } from "./fixtures/stores.ts";
import { eventually, quietFor } from "./fixtures/waiting.ts";
import type { CommittedEvent, Journal } from "./journal.ts";
import { openJournal } from "./open-journal.ts";
import { PostgresConnection, type Row } from "./postgres-connection.ts";
import { journalSuite } from "./testing/journal-suite.ts";
import { INSIDE, numbered, readAll, take } from "./testing/subject.ts";

// Generous: a machine that does other work at the same time must not fail a law.
vi.setConfig({ testTimeout: 120_000 });

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ fsync: false });
}, 120_000);
afterAll(() => server.stop());

const subject = postgresStore(() => server.url);
journalSuite({ describe, it }, subject);
journalLaws(subject);

let schemas = 0;
/** A journal in a schema of its own, and a bare connection beside it. */
async function fresh(): Promise<{
  url: string;
  schema: string;
  journal: Journal;
  raw: pg.Client;
  end(): Promise<void>;
}> {
  const schema = `fault_${String((schemas += 1))}`;
  const url = `${server.url}?schema=${schema}`;
  // As long as a test may take: a slow machine may need long to start the server again.
  const journal = await openJournal(url, { reconnectMs: 60_000 });
  const raw = new pg.Client(server.url);
  raw.on("error", () => undefined);
  await raw.connect();
  const end = async (): Promise<void> => {
    await journal.close();
    await raw.end().catch(() => undefined);
  };
  return { url, schema, journal, raw, end };
}

describe("PostgreSQL: readers and late writers", () => {
  it.each(["COMMIT", "ROLLBACK"])(
    "a tail waits for an append that is on its way, then goes on: %s",
    async (ending) => {
      const { schema, journal, raw, end } = await fresh();
      const handle = journal.as(INSIDE);
      await handle.append("/before", numbered(1));
      const seen: CommittedEvent[] = [];
      const abort = new AbortController();
      const tail = (async () => {
        for await (const event of journal.subscribe({ prefix: "/" }, { signal: abort.signal }))
          seen.push(event);
      })();
      await eventually(() => {
        assert.equal(seen.length, 1);
      });
      await raw.query("BEGIN");
      await raw.query(rawAppend(schema, "/late"));
      await handle.append("/early", numbered(2));
      // Long enough for the follower's own look, which comes without a notification.
      await quietFor(700);
      assert.deepEqual(
        seen.map(({ stream }) => stream),
        ["/before"],
      );
      await raw.query(ending);
      const expected =
        ending === "COMMIT" ? ["/before", "/late", "/early", "/early"] : ["/before", "/early", "/early"];
      await eventually(() => {
        assert.deepEqual(
          seen.map(({ stream }) => stream),
          expected,
        );
      });
      const ordered = [...seen].sort((a, b) => a.position - b.position);
      assert.deepEqual(seen, ordered);
      // Who starts later sees the same order, whatever gap the rollback left.
      assert.deepEqual(await take(journal.subscribe({ prefix: "/" }), expected.length), seen);
      abort.abort();
      await tail;
      await end();
    },
  );

  it("an append that never ends holds up no other stream's readers", async () => {
    const { schema, journal, raw, end } = await fresh();
    await raw.query("BEGIN");
    await raw.query(rawAppend(schema, "/late"));
    const followed = take(journal.subscribe({ stream: "/early" }), 1);
    const [committed] = await journal.as(INSIDE).append("/early", numbered(1));
    assert.deepEqual(await followed, [committed]);
    await raw.query("ROLLBACK");
    await end();
  });

  it("large events and long names wake a tail, also after its connection was cut", async () => {
    const { journal, raw, url, end } = await fresh();
    const other = await openJournal(url);
    const stream = `/${"n".repeat(100)}`;
    const followed = [take(journal.subscribe({ stream }), 2), take(journal.subscribe({ prefix: "/" }), 2)];
    const large = { type: "test/large", payload: "x".repeat(20_000) };
    const committed = [...(await other.as(INSIDE).append(stream, [large]))];
    await eventually(async () => {
      const { rowCount } = await raw.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE '%LISTEN%' AND pid <> pg_backend_pid()",
      );
      assert.ok((rowCount ?? 0) > 0);
    });
    committed.push(...(await other.as(INSIDE).append(stream, [large])));
    for (const events of await Promise.all(followed)) assert.deepEqual(events, committed);
    await other.close();
    await end();
  });
});

describe("PostgreSQL: wake-ups", () => {
  it("an append right before closing wakes a tail at once", async () => {
    const { journal, url, end } = await fresh();
    const heard: number[] = [];
    const listener = new pg.Client(server.url);
    await listener.connect();
    const connection = new PostgresConnection(url, {});
    await listener.query(`LISTEN ${connection.channel}`);
    await connection.close();
    listener.on("notification", () => heard.push(1));
    const other = await openJournal(url);
    await other.as(INSIDE).append("/last", numbered(1));
    await other.close();
    await eventually(() => {
      assert.deepEqual(heard, [1]);
    });
    await listener.end();
    assert.equal(await journal.head("/last"), 1);
    await end();
  });
});

describe("PostgreSQL: broken connections", () => {
  /** Blocks the stream, starts an append, cuts its connection, and lets go. */
  async function cutDuring<Result>(
    { schema, raw }: { schema: string; raw: pg.Client },
    append: () => Promise<Result>,
  ): Promise<PromiseSettledResult<Result>> {
    await raw.query("BEGIN");
    await raw.query(`SELECT ${schema}.lock_stream('/cut')`);
    const outcome = Promise.allSettled([append()]);
    const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}".append_events%'`;
    await eventually(async () => {
      // Inside a transaction the view stands still until it is told not to.
      await raw.query("SELECT pg_stat_clear_snapshot()");
      const { rowCount } = await raw.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) w`);
      assert.equal(rowCount, 1);
    });
    await raw.query("COMMIT");
    return (await outcome)[0];
  }

  it("an append that was cut off says that its outcome is unknown", async () => {
    const context = await fresh();
    const handle = context.journal.as(INSIDE);
    const outcome = await cutDuring(context, () => handle.append("/cut", numbered(2)));
    assert.equal((outcome as { reason?: { code?: string } }).reason?.code, "append-outcome-unknown");
    assert.equal(await context.journal.head("/cut"), 0);
    assert.equal((await handle.append("/cut", numbered(1)))[0]?.offset, 1);
    await context.end();
  });

  it("an append whose events all have keys finds out for itself", async () => {
    const context = await fresh();
    const events = numbered(2).map((event, index) => ({ ...event, idempotencyKey: `k${index}` }));
    const outcome = await cutDuring(context, () => context.journal.as(INSIDE).append("/cut", events));
    assert.equal(outcome.status, "fulfilled");
    assert.equal(await context.journal.head("/cut"), 2);
    await context.end();
  });

  it.each(["restart", "crash"] as const)("a %s under load loses and doubles nothing", async (fault) => {
    const { journal, end } = await fresh();
    const handle = journal.as(INSIDE);
    const total = 300;
    const follower = take(journal.subscribe({ stream: "/load" }), total);
    const leader = take(journal.subscribe({ prefix: "/load" }), total);
    const writing = (async () => {
      for (let n = 0; n < total; n += 1) {
        const [event] = numbered(1, n);
        await handle.append("/load", [{ ...(event as NonNullable<typeof event>), idempotencyKey: `n${n}` }]);
      }
    })();
    await eventually(async () => {
      assert.ok((await journal.head("/load")) > 20);
    });
    await (fault === "restart" ? server.restart(200) : server.crash());
    await writing;
    const events = await readAll(journal, "/load");
    assert.deepEqual(
      events.map(({ offset, payload }) => [offset, payload]),
      Array.from({ length: total }, (_, n) => [n + 1, { n }]),
    );
    assert.deepEqual(await follower, events);
    assert.deepEqual(await leader, events);
    await end();
  });

  it("a server that is not there, a wrong database and a bad URL are typed errors without secrets", async () => {
    const refused = async (url: string, code: string): Promise<void> => {
      await assert.rejects(openJournal(url, { reconnectMs: 100 }), (error: Error & { code?: string }) => {
        assert.equal(error.code, code);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    };
    await refused("postgres://u:secret@127.0.0.1:1/db", "storage-unreachable");
    await refused(
      server.url.replace(/postgres$/, "absent").replace("postgres@", "postgres:secret@"),
      "storage-missing",
    );
    await refused("postgress://u:secret@h/db", "invalid-journal-url");
    await refused(`${server.url}?schema=`, "invalid-journal-url");
    const { raw, url, schema, end } = await fresh();
    await raw.query(`UPDATE ${schema}.journal_schema SET version = 99`);
    await refused(url, "storage-newer-schema");
    await end();
  });
});

describe("PostgreSQL: a journal that is not there", () => {
  it("without leave to create, opening makes no schema", async () => {
    const url = `${server.url}?schema=never_created`;
    const reader = (): ReturnType<typeof openJournal> => openJournal(url, { create: false });
    const missing = {
      code: "storage-missing",
      message: /schema never_created: there is no journal.*promptfold migrate/,
    };
    await assert.rejects(reader(), missing);
    const client = new pg.Client(server.url);
    await client.connect();
    const made = "SELECT FROM pg_namespace WHERE nspname = 'never_created'";
    assert.equal((await client.query(made)).rowCount, 0);
    const journal = await openJournal(url);
    const committed = await journal.as(INSIDE).append("/a", numbered(1));
    const other = await reader();
    assert.deepEqual(await readAll(other, "/a"), committed);
    await other.close();
    await journal.close();
    await client.query("UPDATE never_created.journal_schema SET version = 0");
    await assert.rejects(reader(), missing);
    await client.end();
  });
});

describe("PostgreSQL: rights", () => {
  it("who may only read opens, reads, follows and verifies, and is told that it may not append", async () => {
    const { journal, schema, raw, url, end } = await fresh();
    const committed = await journal.as(INSIDE).append("/a", numbered(2));
    await raw.query(`CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA ${schema} TO reader;
      GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO reader`);
    const reader = await openJournal(url.replace("postgres@", "reader@"), { create: false });
    assert.deepEqual(await readAll(reader, "/a"), committed);
    assert.deepEqual(await take(reader.subscribe({ prefix: "/" }), 2), committed);
    assert.deepEqual((await reader.verify()).problems, []);
    await assert.rejects(reader.as(INSIDE).append("/a", numbered(1)), { code: "storage-read-only" });
    await reader.close();
    await end();
  });
});

describe("PostgreSQL: prepared statements", () => {
  it.each([
    ["is gone", "DEALLOCATE ALL"],
    ["stands there already", "PREPARE statement AS SELECT 2"],
  ])("one that %s, as behind a pooler that shares sessions, is sent whole from then on", async (_, spoil) => {
    const connection = new PostgresConnection(server.url, { poolSize: 1 });
    const ask = (): Promise<Row[]> => connection.query("SELECT $1::int4 AS n", [1], "statement");
    if (spoil.startsWith("DEALLOCATE")) assert.deepEqual(await ask(), [{ n: 1 }]);
    await connection.query(spoil);
    assert.deepEqual(await ask(), [{ n: 1 }]);
    assert.deepEqual(await ask(), [{ n: 1 }]);
    await connection.close();
  });
});

describe("PostgreSQL: processes", () => {
  it(`kill -9 in ${KILL_ROUNDS} rounds loses and doubles nothing`, { timeout: 900_000 }, async () => {
    const { url, end } = await fresh();
    const open = () => openJournal(url, { reconnectMs: 60_000 });
    await killRounds({ ...killedSessions(server, url), open, reopen: false, rounds: KILL_ROUNDS });
    await end();
  });

  it("kill -9 in the middle of large batches shows a tail whole batches only", async () => {
    const { url, end } = await fresh();
    await killUnderTail({ ...killedSessions(server, url), open: () => openJournal(url) });
    await end();
  });

  it("several processes append to one stream", async () => {
    const { url, journal, end } = await fresh();
    await twoProcesses(url, journal);
    await end();
  });

  it("ten appends of one key from three processes store one event", async () => {
    const { url, journal, end } = await fresh();
    await oneKeyManyCallers(url, journal, 50);
    await end();
  });

  it("several journals create the same schema at once", async () => {
    const url = `${server.url}?schema=created_at_once`;
    const journals = await Promise.all(Array.from({ length: 6 }, () => openJournal(url)));
    await Promise.all(journals.map((journal) => journal.as(INSIDE).append("/a", numbered(1))));
    assert.equal(await journals[0]?.head("/a"), 6);
    for (const journal of journals) await journal.close();
  });
});
