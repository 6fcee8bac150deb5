import assert from "node:assert/strict";
import { INSIDE, numbered, readAll, take, type StoreTest } from "./subject.ts";

/** What holds when several journals are open on one place, as several processes would have it. */
export function sharedSuite(test: StoreTest): void {
  test("what one journal commits, another one reads, also after a new start", async ({ open }) => {
    const [one, two] = [await open(), await open()];
    const committed = await one.as(INSIDE).append("/a", numbered(3));
    assert.deepEqual(await readAll(two, "/a"), committed);
    await two.as(INSIDE).append("/a", numbered(1, 4), { expectedOffset: 3 });
    await one.close();
    await two.close();
    const three = await open();
    assert.equal((await readAll(three, "/a")).length, 4);
    assert.equal((await three.as(INSIDE).append("/a", numbered(1)))[0]?.offset, 5);
  });

  test("a subscription hears what other journals commit", async ({ open }) => {
    const [one, two] = [await open(), await open()];
    const followed = [take(one.subscribe({ stream: "/a" }), 60), take(one.subscribe({ prefix: "/a" }), 60)];
    for (let n = 0; n < 30; n += 1) {
      await two.as(INSIDE).append("/a", numbered(1, 2 * n));
      if (n === 10) await new Promise((resolve) => setTimeout(resolve, 20));
      await one.as(INSIDE).append("/a", numbered(1, 2 * n + 1));
    }
    const expected = await readAll(two, "/a");
    for (const events of await Promise.all(followed)) assert.deepEqual(events, expected);
  });

  test("writers on several journals store one event per key and keep batches whole", async ({ open }) => {
    const journals = [await open(), await open(), await open()];
    const event = { type: "test/keyed", payload: { a: 1 }, idempotencyKey: "k" };
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const handle = (journals[index % 3] as (typeof journals)[number]).as(INSIDE);
        return Promise.all([handle.append("/key", [event]), handle.append("/all", numbered(5, index * 5))]);
      }),
    );
    for (const [keyed] of results) assert.deepEqual(keyed, results[0]?.[0]);
    const all = await readAll(journals[0] as (typeof journals)[number], "/all");
    assert.deepEqual(
      all.map(({ offset }) => offset),
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
    for (const [, batch] of results) {
      assert.deepEqual(all.slice((batch[0]?.offset ?? 0) - 1, batch.at(-1)?.offset), batch);
    }
  });

  test("a lease holds against other journals", async ({ open }) => {
    const [one, two] = [await open(), await open()];
    const target = { stream: "/a", processor: "p" };
    const lease = await one.lease(target, { ttlMs: 60_000 });
    assert.ok(lease);
    assert.equal(await two.lease(target, { ttlMs: 60_000, wait: false }), undefined);
    await lease.release();
    const next = await two.lease(target, { ttlMs: 60_000, wait: false });
    assert.ok(next);
    await assert.rejects(one.as(INSIDE).append("/a", numbered(1), { lease }), { code: "lease-lost" });
    // A lease is a value: whoever knows the fence can prove it, on any journal.
    assert.equal((await one.as(INSIDE).append("/a", numbered(1), { lease: next })).length, 1);
  });

  test("checkpoints and snapshots outlive the journal", async ({ open }) => {
    const key = { stream: "/a", foldVersion: "1", contractVersion: "1.0.0" };
    const one = await open();
    await one.checkpoints.save("p", { stream: "/a" }, 4);
    await one.snapshots.save(key, { offset: 2, state: "{}" });
    await one.close();
    const two = await open();
    assert.equal(await two.checkpoints.load("p", { stream: "/a" }), 4);
    assert.deepEqual(await two.snapshots.load(key), { offset: 2, state: "{}" });
  });

  test("times never go back, whichever journal's clock is behind", async ({ open }) => {
    const ahead = await open({ clock: () => 2_000_000 });
    const behind = await open({ clock: () => 1_000_000 });
    const first = await ahead.as(INSIDE).append("/a", numbered(1));
    const second = await behind.as(INSIDE).append("/a", numbered(1));
    assert.equal(second[0]?.createdAt, first[0]?.createdAt);
  });
}
