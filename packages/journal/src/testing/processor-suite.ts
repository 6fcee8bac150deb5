import assert from "node:assert/strict";
import { INSIDE, numbered, type StoreTest } from "./subject.ts";

/** What processors need: leases, checkpoints, snapshots. */
export function processorSuite(test: StoreTest): void {
  const target = { stream: "/a", processor: "p" };
  // Longer than any test takes: what runs out here, runs out by a clock that the test moves.
  const once = { ttlMs: 60_000, wait: false };

  test("a lease has one holder per stream and processor", async ({ open }) => {
    const journal = await open();
    const lease = await journal.lease(target, once);
    assert.ok(lease);
    assert.equal(await journal.lease(target, once), undefined);
    assert.ok(await journal.lease({ ...target, processor: "q" }, once));
    assert.ok(await journal.lease({ ...target, stream: "/b" }, once));
    await lease.renew();
    assert.equal((await journal.as(INSIDE).append("/a", numbered(1), { lease })).length, 1);
    await lease.release();
    await lease.release();
    const next = await journal.lease(target, once);
    assert.ok(next && next.fence > lease.fence);
  });

  test("a dead holder is replaced, and a late one can append nothing", async ({ open }) => {
    let now = 1_000_000;
    const journal = await open({ clock: () => now });
    const handle = journal.as(INSIDE);
    const late = await journal.lease(target, once);
    assert.ok(late);
    now += once.ttlMs - 1;
    assert.equal(await journal.lease(target, once), undefined);
    await late.renew();
    now += once.ttlMs - 1;
    assert.equal(await journal.lease(target, once), undefined);
    now += 1;
    // It ran out, but nobody took over: what it appends cannot collide with anybody's.
    assert.equal((await handle.append("/a", numbered(1), { lease: late })).length, 1);
    const holder = await journal.lease(target, once);
    assert.ok(holder && holder.fence > late.fence);
    await assert.rejects(handle.append("/a", numbered(1), { lease: late }), {
      code: "lease-lost",
      processor: "p",
    });
    await assert.rejects(late.renew(), { code: "lease-lost" });
    await late.release();
    assert.equal((await handle.append("/a", numbered(1), { lease: holder })).length, 1);
    assert.equal(await journal.head("/a"), 2);
  });

  test("waiting for a lease ends with it, or with the signal", async ({ open }) => {
    const journal = await open();
    const lease = await journal.lease(target, { ttlMs: 60_000 });
    assert.ok(lease);
    const abort = new AbortController();
    const given = journal.lease(target, { ttlMs: 40, signal: abort.signal });
    abort.abort();
    assert.equal(await given, undefined);
    const waiting = journal.lease(target, { ttlMs: 40 });
    await lease.release();
    assert.ok((await waiting)?.fence);
    for (const ttlMs of [0, -1, NaN, 9]) {
      await assert.rejects(journal.lease(target, { ttlMs }), { code: "invalid-option" });
    }
  });

  test("many leases at once: each has one holder at a time, and all who wait get theirs", async ({
    open,
  }) => {
    const journal = await open();
    const targets = Array.from({ length: 60 }, (_, n) => ({ stream: `/s${n}`, processor: "p" }));
    const held = await Promise.all(targets.map((each) => journal.lease(each, { ttlMs: 60_000 })));
    const raced = await Promise.all(
      [target, target, { ...target, stream: "/b" }].map((each) => journal.lease(each, once)),
    );
    assert.equal(raced.filter((lease) => lease !== undefined).length, 2);
    const waiting = targets.flatMap((each) => [1, 2].map(() => journal.lease(each, { ttlMs: 40 })));
    const leases = held.filter((lease) => lease !== undefined);
    assert.equal(leases.length, targets.length);
    await Promise.all([...leases, ...leases].map((lease) => lease.renew()));
    await Promise.all(leases.map((lease) => lease.release()));
    await Promise.all(leases.map((lease) => assert.rejects(lease.renew(), { code: "lease-lost" })));
    const fences = await Promise.all(
      waiting.map(async (each) => {
        const lease = await each;
        await lease?.release();
        return lease?.fence ?? 0;
      }),
    );
    for (let n = 0; n < fences.length; n += 2) assert.deepEqual(fences.slice(n, n + 2).sort(), [2, 3]);
  });

  test("a checkpoint keeps the greatest cursor of a processor and scope", async ({ open }) => {
    const { checkpoints } = await open();
    const scope = { stream: "/a" };
    assert.equal(await checkpoints.load("p", scope), 0);
    await checkpoints.save("p", scope, 5);
    await checkpoints.save("p", scope, 3);
    await checkpoints.save("p", { prefix: "/a" }, 9);
    await checkpoints.save("q", scope, 1);
    assert.equal(await checkpoints.load("p", scope), 5);
    assert.equal(await checkpoints.load("p", { prefix: "/a" }), 9);
    assert.equal(await checkpoints.load("q", scope), 1);
    await checkpoints.reset("p", scope);
    assert.equal(await checkpoints.load("p", scope), 0);
    await assert.rejects(checkpoints.save("p", scope, -1), { code: "invalid-option" });
    await assert.rejects(checkpoints.load("", scope), { code: "invalid-name" });
  });

  test("snapshots are found by stream and versions, the nearest below an offset", async ({ open }) => {
    const { snapshots } = await open();
    const key = { stream: "/a", foldVersion: "1", contractVersion: "1.0.0" };
    assert.equal(await snapshots.load(key), undefined);
    for (const offset of [10, 30, 20]) await snapshots.save(key, { offset, state: `{"at":${offset}}` });
    await snapshots.save(key, { offset: 20, state: "again\u2028é" });
    assert.deepEqual(await snapshots.load(key), { offset: 30, state: '{"at":30}' });
    assert.deepEqual(await snapshots.load(key, { through: 29 }), { offset: 20, state: "again\u2028é" });
    assert.deepEqual(await snapshots.load(key, { through: 10 }), { offset: 10, state: '{"at":10}' });
    assert.equal(await snapshots.load(key, { through: 9 }), undefined);
    for (const other of [{ stream: "/b" }, { foldVersion: "2" }, { contractVersion: "1.0.1" }]) {
      assert.equal(await snapshots.load({ ...key, ...other }), undefined);
    }
    for (const state of ["a\u0000b", "\ud800x", "x\udc00", 5, { a: 1 }, null, undefined] as string[]) {
      await assert.rejects(snapshots.save(key, { offset: 40, state }), { code: "invalid-option" });
    }
    assert.equal((await snapshots.load(key))?.offset, 30);
    for (const state of ["", "\ufeff\u0001\ud83d\ude00\r\n\uffff", "5"]) {
      await snapshots.save(key, { offset: 40, state });
      assert.deepEqual(await snapshots.load(key), { offset: 40, state });
    }
    await snapshots.clear("/a");
    assert.equal(await snapshots.load(key), undefined);
  });

  test("closing lets the calls that began before land and refuses those that begin after", async ({
    open,
  }) => {
    const journal = await open();
    const key = { stream: "/a", foldVersion: "1", contractVersion: "1" };
    const scope = { stream: "/a" };
    const [held, lost] = await Promise.all([
      journal.lease(target, once),
      journal.lease({ ...target, processor: "q" }, once),
    ]);
    assert.ok(held && lost);
    const handle = journal.as(INSIDE);
    const before = [
      journal.lease({ ...target, processor: "r" }, { ttlMs: 60_000 }).then((lease) => lease?.fence),
      held.renew(),
      lost.release(),
      handle.append("/a", numbered(1)).then(([event]) => event?.offset),
      handle.append("/b", numbered(1)).then(([event]) => event?.offset),
      journal.checkpoints.save("p", scope, 1),
      journal.snapshots.save(key, { offset: 1, state: "s" }),
      journal.head("/c"),
    ];
    await Promise.resolve();
    const closing = journal.close();
    const closed = { code: "journal-closed" };
    const begin = (): Promise<unknown>[] => [
      journal.lease(target, once),
      held.renew(),
      held.release(),
      lost.release(),
      handle.append("/a", numbered(1)),
      journal.restore("/d", [], { after: 0 }),
      journal.checkpoints.save("p", scope, 2),
      journal.checkpoints.reset("p", scope),
      journal.snapshots.save(key, { offset: 2, state: "s" }),
      journal.snapshots.load(key),
      journal.snapshots.clear("/a"),
      journal.head("/a"),
      journal.verify(),
    ];
    await Promise.all(begin().map((call) => assert.rejects(call, closed)));
    await Promise.all([closing, journal.close()]);
    assert.deepEqual(await Promise.all(before), [1, undefined, undefined, 1, 1, undefined, undefined, 0]);
    await Promise.all(begin().map((call) => assert.rejects(call, closed)));
  });

  test("closing at any moment of taking, renewing and releasing a lease ends in order", async ({ open }) => {
    const journals = await Promise.all(Array.from({ length: 12 }, () => open()));
    for (const [turns, journal] of journals.entries()) {
      const lease = await journal.lease({ stream: `/${turns}`, processor: "p" }, once);
      assert.ok(lease);
      const working = (async () => {
        for (;;) {
          await lease.renew();
          await lease.release();
          await journal.lease({ stream: `/${turns}`, processor: "q" }, once);
        }
      })();
      const ended = assert.rejects(working, (error: { code?: string }) =>
        ["journal-closed", "lease-lost"].includes(error.code ?? ""),
      );
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await journal.close();
      await ended;
    }
  });
}
