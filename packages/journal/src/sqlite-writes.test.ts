import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { OffsetConflictError } from "./errors.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";
import { SqliteWrites } from "./sqlite-writes.ts";

const BUSY = 5;
const IO_ERROR = 10;
const FULL = 13;

/** A database that records what it is told, and fails where it is told to. */
function recording(fails: (statement: string, times: number) => number | undefined): {
  database: SqliteDatabase;
  log: string[];
} {
  const log: string[] = [];
  let inTransaction = false;
  const unused = (): never => {
    throw new Error("not used");
  };
  const database: SqliteDatabase = {
    exec(statement) {
      log.push(statement);
      const times = log.filter((entry) => entry === statement).length;
      const rawCode = fails(statement, times);
      if (rawCode !== undefined) throw Object.assign(new Error("from SQLite"), { rawCode });
      inTransaction = statement === "BEGIN IMMEDIATE";
    },
    prepare: unused,
    prepareRaw: unused,
    get inTransaction() {
      return inTransaction;
    },
    close: unused,
  };
  return { database, log };
}

/** Adds writes in one turn that each note their name; those that a map names fail with its error. */
function addAll(
  writes: SqliteWrites,
  log: string[],
  names: readonly string[],
  failing: ReadonlyMap<string, Error> = new Map(),
): Promise<string[]> {
  const results = names.map((name) =>
    writes.add(
      () => {
        log.push(name);
        const error = failing.get(name);
        if (error !== undefined) throw error;
        return name;
      },
      name.startsWith("/") ? name : undefined,
    ),
  );
  return Promise.allSettled(results).then((outcomes) =>
    outcomes.map((outcome) =>
      outcome.status === "fulfilled" ? outcome.value : ((outcome.reason as { code?: string }).code ?? "?"),
    ),
  );
}

const GROUP = ["BEGIN IMMEDIATE", "/a", "b", "/c", "COMMIT"];

describe("writes that wait together", () => {
  it("share one transaction, in call order", async () => {
    const { database, log } = recording(() => undefined);
    const writes = new SqliteWrites("a.db", 100, database);
    assert.deepEqual(await addAll(writes, log, ["/a", "b", "/c"]), ["/a", "b", "/c"]);
    assert.deepEqual(log, GROUP);
    assert.deepEqual(await addAll(writes, log, ["/d"]), ["/d"]);
    assert.deepEqual(log.slice(GROUP.length), ["BEGIN IMMEDIATE", "/d", "COMMIT"]);
    await writes.done();
  });

  it("each have their own outcome: a conflict of one is not the others'", async () => {
    const { database, log } = recording(() => undefined);
    const writes = new SqliteWrites("a.db", 100, database);
    const failing = new Map([["b", new OffsetConflictError("/b", 1, 2)]]);
    assert.deepEqual(await addAll(writes, log, ["/a", "b", "/c"], failing), ["/a", "offset-conflict", "/c"]);
    assert.deepEqual(log, GROUP);
  });

  it("run again one by one when one of them breaks the transaction", async () => {
    const { database, log } = recording(() => undefined);
    const writes = new SqliteWrites("a.db", 100, database);
    const broken = Object.assign(new Error("from SQLite"), { rawCode: 19 });
    const failing = new Map([["b", broken]]);
    const outcomes = await addAll(writes, log, ["/a", "b", "/c", "/d"], failing);
    assert.deepEqual(outcomes, ["/a", "storage-failed", "/c", "/d"]);
    assert.deepEqual(log, [
      ...["BEGIN IMMEDIATE", "/a", "b", "ROLLBACK"],
      ...["BEGIN IMMEDIATE", "/a", "COMMIT"],
      ...["BEGIN IMMEDIATE", "b", "ROLLBACK"],
      ...["BEGIN IMMEDIATE", "/c", "/d", "COMMIT"],
    ]);
  });

  it("run again one by one when the disk is too full for all of them", async () => {
    const { database, log } = recording((statement, times) =>
      statement === "COMMIT" && times !== 2 ? FULL : undefined,
    );
    const writes = new SqliteWrites("a.db", 100, database);
    const outcomes = await addAll(writes, log, ["/a", "b", "/c"]);
    assert.deepEqual(outcomes, ["/a", "storage-disk-full", "storage-disk-full"]);
  });

  it("all have an unknown outcome when committing fails on the disk", async () => {
    const { database, log } = recording((statement) => (statement === "COMMIT" ? IO_ERROR : undefined));
    const writes = new SqliteWrites("a.db", 100, database);
    const outcomes = await addAll(writes, log, ["/a", "b", "/c"]);
    assert.deepEqual(outcomes, ["append-outcome-unknown", "storage-failed", "append-outcome-unknown"]);
    assert.deepEqual(log, [...GROUP, "ROLLBACK"]);
  });

  it("wait for another writer, those that come meanwhile too", async () => {
    const { database, log } = recording((statement, times) =>
      statement === "BEGIN IMMEDIATE" && times < 3 ? BUSY : undefined,
    );
    const writes = new SqliteWrites("a.db", 10_000, database);
    const first = addAll(writes, log, ["/a"]);
    await Promise.resolve();
    await Promise.resolve();
    const second = addAll(writes, log, ["/b"]);
    assert.deepEqual([await first, await second], [["/a"], ["/b"]]);
    assert.deepEqual(log.slice(2), ["BEGIN IMMEDIATE", "/a", "/b", "COMMIT"]);
  });

  it("are busy when another writer takes too long", async () => {
    const { database, log } = recording((statement) => (statement === "BEGIN IMMEDIATE" ? BUSY : undefined));
    const writes = new SqliteWrites("a.db", 20, database);
    assert.deepEqual(await addAll(writes, log, ["/a", "b"]), ["storage-busy", "storage-busy"]);
    await writes.done();
  });
});
