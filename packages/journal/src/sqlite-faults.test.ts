import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { openJournal } from "./open-journal.ts";
import { openSqlite } from "./sqlite-driver.ts";
import { INSIDE, numbered, readAll, take } from "./testing/subject.ts";
import { oneKeyManyCallers, twoProcesses } from "./fixtures/concurrent-writers.ts";
import { KILL_ROUNDS, killRounds, killUnderTail } from "./fixtures/kill-rounds.ts";
import { CHILD, outputOf, runChild } from "./fixtures/run-child.ts";

let folder: string;
let path: string;
let url: string;
const open = (): ReturnType<typeof openJournal> => openJournal(url);
const fits = { offset: 3, state: "s" };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "promptfold-faults-"));
  path = join(folder, "journal.db");
  url = `sqlite:${path}`;
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("SQLite: processes", () => {
  it(`kill -9 in ${KILL_ROUNDS} rounds loses and doubles nothing`, { timeout: 600_000 }, () =>
    killRounds({
      urlOf: (lane) => `${url}-${lane}`,
      open: openJournal,
      reopen: true,
      rounds: KILL_ROUNDS,
    }),
  );

  it("kill -9 in the middle of large batches shows a tail whole batches only", () =>
    killUnderTail({ urlOf: () => url, open }));

  it("several processes append to one file", async () => {
    const journal = await open();
    await twoProcesses(url, journal);
    await journal.close();
  });

  it("ten appends of one key from three processes store one event", async () => {
    const journal = await open();
    await oneKeyManyCallers(url, journal, 50);
    await journal.close();
  });

  it("several processes create the same file at once", async () => {
    for (let round = 0; round < 2; round += 1) {
      const here = `sqlite:${join(folder, `new-${round}.db`)}`;
      const children = [1, 2, 3].map(() => runChild(["append", here, "/a", "5"]));
      await Promise.all(children.map(outputOf));
      const journal = await openJournal(here);
      assert.equal(await journal.head("/a"), 15);
      await journal.close();
    }
  });
});

describe("SQLite: files", () => {
  const fails = (at: string, code: string, text: RegExp): Promise<void> =>
    assert.rejects(openJournal(`sqlite:${at}`), (error: Error & { code?: string }) => {
      assert.equal(error.code, code);
      assert.match(error.message, text);
      assert.ok(error.message.startsWith(at), error.message);
      return true;
    });

  it("a file that is no database stays as it is", async () => {
    for (const content of ["not a database ".repeat(100), "x"]) {
      writeFileSync(path, content);
      await fails(path, "storage-not-a-journal", /not an SQLite database/);
      assert.equal(readFileSync(path, "utf8"), content);
    }
  });

  it("an empty file becomes a journal", async () => {
    writeFileSync(path, "");
    const journal = await open();
    assert.equal((await journal.as(INSIDE).append("/a", numbered(1))).length, 1);
    await journal.close();
  });

  it("a database of something else stays as it is", async () => {
    const other = openSqlite(path, 0);
    other.exec("CREATE TABLE customers (name TEXT)");
    other.close();
    const before = readFileSync(path);
    await fails(path, "storage-not-a-journal", /something else/);
    assert.deepEqual(readFileSync(path), before);
  });

  it("a newer schema is refused", async () => {
    await (await open()).close();
    const newer = openSqlite(path, 0);
    newer.exec("UPDATE journal_schema SET version = 99");
    newer.close();
    await fails(path, "storage-newer-schema", /99.*; update/s);
  });

  it("a missing folder, a folder for a file and a bad URL are refused", async () => {
    await fails(join(folder, "absent", "journal.db"), "storage-missing", /create its folder/);
    await fails(folder, "storage-missing", /cannot be opened/);
    for (const bad of ["", "sqlite:", "journal.db", "memory:x", "mysql://a", "sqlite::memory:"]) {
      await assert.rejects(openJournal(bad), { code: "invalid-journal-url" });
    }
  });

  it("without leave to create, opening makes no file and no tables", async () => {
    const reader = (): ReturnType<typeof open> => openJournal(url, { create: false });
    const missing = { code: "storage-missing", message: /there is no journal.*promptfold migrate/ };
    await assert.rejects(reader(), missing);
    assert.equal(existsSync(path), false);
    writeFileSync(path, "");
    await assert.rejects(reader(), missing);
    assert.equal(statSync(path).size, 0);
    const journal = await open();
    const committed = await journal.as(INSIDE).append("/a", numbered(1));
    const other = await reader();
    assert.deepEqual(await readAll(other, "/a"), committed);
    assert.equal((await other.as(INSIDE).append("/a", numbered(1)))[0]?.offset, 2);
    await other.close();
    await journal.close();
    const older = openSqlite(path, 0);
    older.exec("UPDATE journal_schema SET version = 0");
    older.close();
    await assert.rejects(reader(), missing);
  });

  it("a relative path is resolved once", async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      const journal = await openJournal("sqlite:relative.db");
      process.chdir(tmpdir());
      await journal.as(INSIDE).append("/a", numbered(1));
      await journal.close();
      assert.ok(statSync(join(folder, "relative.db")).size > 0);
    } finally {
      process.chdir(before);
    }
  });

  it("after close the file alone holds everything", async () => {
    const journal = await open();
    await journal.as(INSIDE).append("/a", numbered(50));
    await journal.close();
    const copy = join(folder, "copy.db");
    writeFileSync(copy, readFileSync(path));
    const copied = await openJournal(`sqlite:${copy}`);
    assert.equal((await readAll(copied, "/a")).length, 50);
    await copied.close();
  });

  it("a file that may not be written is refused with a remedy", async ({ skip }) => {
    const nobody = 65_534;
    const isRoot = process.getuid?.() === 0;
    const canRun = !isRoot || spawnSync(process.execPath, ["--check", CHILD], { uid: nobody }).status === 0;
    skip(!canRun, "root may write everything, and nobody else can reach this Node or this folder");
    await (await open()).close();
    chmodSync(path, 0o444);
    chmodSync(folder, 0o555);
    try {
      // Root may write everything, so root asks as somebody else.
      const child = runChild(["append", url, "/a", "1"], isRoot ? { uid: nobody } : {});
      const [first] = (await linesOf(child)) as { code: string; message: string }[];
      assert.equal(first?.code, "storage-read-only", JSON.stringify(first));
      assert.match(first.message, /write access/);
    } finally {
      chmodSync(folder, 0o755);
    }
  });

  it("a deleted row's offset and position are not given out again", async () => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const first = await handle.append("/a", numbered(3));
    const tails = [
      journal.subscribe({ stream: "/a" }, { after: 3 }),
      journal.subscribe({ prefix: "/" }, { after: first[2]?.position ?? 0 }),
    ];
    const raw = openSqlite(path, 1_000);
    raw.exec("DELETE FROM events WHERE offset = 3");
    raw.close();
    const [fourth] = await handle.append("/a", numbered(1));
    assert.equal(fourth?.offset, 4);
    for (const tail of tails) assert.deepEqual(await take(tail, 1), [fourth]);
    await journal.close();
  });

  it("a damaged page is reported, never read as events", async () => {
    const journal = await open();
    for (let n = 0; n < 20; n += 1) await journal.as(INSIDE).append("/a", numbered(50));
    await journal.close();
    const { size } = statSync(path);
    const file = openSync(path, "r+");
    for (let page = 3 * 4_096; page < size; page += 4_096)
      writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, page);
    const damaged = await open();
    await assert.rejects(readAll(damaged, "/a"), { code: "storage-corrupt" });
    await damaged.close();
  });

  it("a payload that was damaged on disk names its event", async () => {
    const journal = await open();
    await journal.as(INSIDE).append("/a", numbered(3));
    const raw = openSqlite(path, 1_000);
    raw.exec("UPDATE events SET payload = substr(payload, 2) WHERE offset = 2");
    raw.close();
    await assert.rejects(readAll(journal, "/a"), (error: Error & { code?: string }) => {
      assert.equal(error.code, "storage-corrupt");
      assert.match(error.message, /\/a@2/);
      return true;
    });
    await journal.close();
  });

  it("verify finds what somebody changed behind the journal's back", async () => {
    const journal = await open();
    for (const stream of ["/a", "/b", "/c", "/d", "/e", "/f"]) {
      await journal
        .as(INSIDE)
        .append(stream, [...numbered(3), { type: "test/x", payload: 1, idempotencyKey: "k" }]);
    }
    assert.deepEqual((await journal.verify()).problems, []);
    const raw = openSqlite(path, 1_000);
    const of = (stream: string): string => `stream_id = (SELECT id FROM streams WHERE name = '${stream}')`;
    raw.exec(`
      PRAGMA foreign_keys = OFF;
      UPDATE events SET created_at = '2000-01-01T00:00:00.000Z' WHERE offset = 3 AND ${of("/a")};
      UPDATE events SET payload = 'broken' WHERE offset = 2 AND ${of("/b")};
      UPDATE events SET source = '{"processor":"p","trust":"root"}' WHERE offset = 1 AND ${of("/c")};
      DELETE FROM events WHERE offset = 4 AND ${of("/d")};
      UPDATE events SET position = position + 1000 WHERE offset = 1 AND ${of("/e")};
      DELETE FROM streams WHERE name = '/f';
    `);
    raw.close();
    const { problems } = await journal.verify();
    const found = problems.map(
      ({ stream, offset, message }) => `${stream ?? ""}@${String(offset ?? "")} ${message}`,
    );
    for (const expected of [
      /^@ .*another length/,
      /^@ .*no stream/,
      /^\/a@3 createdAt goes back/,
      /^\/b@ cannot be read further: .*\/b@2/,
      /^\/c@1 the event has a source/,
      /^\/d@3 .*head is 4/,
      /^\/e@2 the position goes back/,
    ]) {
      assert.ok(
        found.some((line) => expected.test(line)),
        `${expected} is not among\n${found.join("\n")}`,
      );
    }
    await journal.close();
  });

  const tampered: [what: string, sql: string, found: RegExp][] = [
    [
      "a source that is no JSON",
      "UPDATE events SET source = 'nonsense' WHERE offset = 2",
      /a@2: the stored source/,
    ],
    ["a source that is null", "UPDATE events SET source = 'null' WHERE offset = 2", /a@2: the stored source/],
    ["an empty type", "UPDATE events SET type = '' WHERE offset = 2", /the type is empty/],
    [
      "a type of bytes",
      "UPDATE events SET type = x'41' WHERE offset = 2",
      /position 2 has a column of another type/,
    ],
    ["a payload of bytes", "UPDATE events SET payload = x'31' WHERE offset = 2", /a@2: the stored payload/],
    [
      "a key with a control character",
      "UPDATE events SET idempotency_key = char(10) WHERE offset = 2",
      /the idempotency key .* control character/,
    ],
    [
      "an offset between two",
      "UPDATE events SET offset = 1.5 WHERE offset = 1",
      /offset is not a whole number/,
    ],
    ["an offset of text", "UPDATE events SET offset = 'x' WHERE offset = 2", /position 2 has a column/],
    [
      "an offset without room after it",
      `UPDATE events SET offset = ${2 ** 53} WHERE offset = 3`,
      /head is 9007199254740992/,
    ],
    ["an offset of 0", "UPDATE events SET offset = 0 WHERE offset = 1", /journal's order/],
    [
      "a day that no calendar has",
      "UPDATE events SET created_at = '2026-02-30T00:00:00.000Z' WHERE offset = 1",
      /not a time: 2026-02-30/,
    ],
    ["a stream name without a slash", "UPDATE streams SET name = 'a'", /the stream's name .* does not start/],
    ["a stream name of bytes", "UPDATE streams SET name = x'2f61'", /stream of id 1 has a name/],
    [
      "a stream name that no scan finds",
      "UPDATE streams SET name = char(1114111) || 'a'",
      /stream of id 1 has a name/,
    ],
    [
      "a payload that nests too deep",
      `UPDATE events SET payload = '${"[".repeat(1_001)}${"]".repeat(1_001)}', bytes = 2002 WHERE offset = 2`,
      /nests deeper than 1000 levels/,
    ],
    [
      "a payload with an infinite number",
      "UPDATE events SET payload = '1e999', bytes = 5",
      /too large for JSON/,
    ],
    [
      "a snapshot above the head",
      "INSERT INTO snapshots VALUES ('/a', '1', '1', 4, 's')",
      /snapshot of \/a has the offset 4, above the stream's head/,
    ],
    [
      "a snapshot between two",
      "INSERT INTO snapshots VALUES ('/a', '1', '1', 1.5, 's')",
      /not a whole number/,
    ],
    ["a snapshot of bytes", "INSERT INTO snapshots VALUES ('/a', '1', '1', 1, x'00')", /not text/],
    ["no trigger", "DROP TRIGGER events_removed", /does not define events_removed/],
    ["no index", "DROP INDEX events_by_key", /does not define events_by_key/],
  ];
  for (const [what, sql, found] of tampered) {
    it(`verify finds ${what}, and reading gives typed errors at most`, async () => {
      const journal = await open();
      await journal.as(INSIDE).append("/a", numbered(3));
      await journal.snapshots.save({ stream: "/a", foldVersion: "1", contractVersion: "1" }, fits);
      assert.deepEqual((await journal.verify()).problems, []);
      const raw = openSqlite(path, 1_000);
      raw.exec(sql);
      raw.close();
      const { problems } = await journal.verify();
      const messages = problems.map(({ message }) => message);
      assert.ok(
        messages.some((message) => found.test(message)),
        messages.join("\n"),
      );
      const next = journal.as(INSIDE).append("/a", numbered(1));
      await next.catch((error: unknown) => {
        assert.equal((error as { code?: unknown }).code, "storage-corrupt");
      });
      await readAll(journal, "/a").catch((error: unknown) => {
        assert.equal((error as { code?: unknown }).code, "storage-corrupt");
      });
      await journal.close();
    });
  }

  it("a closed database and its statements throw, and never reach the driver", () => {
    const raw = openSqlite(path, 0);
    const one = raw.prepare("SELECT 1");
    assert.equal(one.all().length, 1);
    raw.close();
    raw.close();
    const uses = [
      () => one.all(),
      () => {
        one.get();
      },
      () => one.run(),
      () => one.insert([]),
    ];
    for (const use of [
      ...uses,
      () => raw.prepare("SELECT 1"),
      () => {
        raw.exec("SELECT 1");
      },
    ])
      assert.throws(use, { code: "journal-closed" });
    assert.equal(raw.inTransaction, false);
  });

  it("another writer that never ends is waited for, then reported", async () => {
    const hasty = await openJournal(url, { busyTimeoutMs: 50 });
    const patient = await openJournal(url, { busyTimeoutMs: 60_000 });
    await patient.as(INSIDE).append("/a", numbered(1));
    const raw = openSqlite(path, 0);
    raw.exec("BEGIN IMMEDIATE");
    const waiting = patient.as(INSIDE).append("/a", numbered(1));
    await assert.rejects(hasty.as(INSIDE).append("/a", numbered(1)), { code: "storage-busy" });
    assert.equal(await patient.head("/a"), 1);
    raw.exec("ROLLBACK");
    raw.close();
    assert.equal((await waiting)[0]?.offset, 2);
    await hasty.close();
    await patient.close();
  });
});

describe("SQLite: disks", () => {
  const canMount = ((): boolean => {
    const probe = mkdtempSync(join(tmpdir(), "promptfold-mount-"));
    try {
      execFileSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", probe], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    } finally {
      rmSync(probe, { recursive: true });
    }
  })();

  // Where no file system can be mounted, the limited file of the next test stands in.
  it.runIf(canMount)("a full disk fails an append and loses nothing", async () => {
    const small = join(folder, "small");
    mkdirSync(small);
    const shell =
      'mount -t tmpfs -o size=1m none "$0" && head -c 200000 /dev/zero > "$0/ballast" && exec "$@"';
    const program = ["unshare", "-rm", "sh", "-c", shell, small, process.execPath];
    const child = runChild(["fill", `sqlite:${small}/journal.db`, "/a", `${small}/ballast`], { program });
    const [filled, after] = (await outputOf(child)) as [Record<string, unknown>, Record<string, unknown>];
    assert.equal(filled["code"], "storage-disk-full");
    assert.equal(filled["head"], filled["acknowledged"]);
    assert.equal(after["after"], (filled["head"] as number) + 1);
  });

  it.runIf(process.platform !== "win32")("a write that the disk refuses loses nothing", async () => {
    const shell = 'ulimit -f 2000; exec "$0" "$@"';
    const child = runChild(["fill", url, "/a"], { program: ["sh", "-c", shell, process.execPath] });
    const lines = (await linesOf(child)) as Record<string, unknown>[];
    assert.match(String(lines[0]?.["code"]), /^(storage-(failed|disk-full)|append-outcome-unknown)$/);
    const journal = await open();
    const events = await readAll(journal, "/a");
    const acknowledged = lines[0]?.["acknowledged"] as number;
    assert.ok(acknowledged > 0 && events.length >= acknowledged);
    assert.equal((await journal.as(INSIDE).append("/a", numbered(1)))[0]?.offset, events.length + 1);
    await journal.close();
  });
});

/** A child's lines, however it ends. */
async function linesOf(child: ReturnType<typeof runChild>): Promise<unknown[]> {
  const lines: unknown[] = [];
  child.process.stdin.end();
  for await (const line of child.lines) lines.push(JSON.parse(line));
  const { errors } = await child.ended;
  assert.equal(errors, "");
  return lines;
}
