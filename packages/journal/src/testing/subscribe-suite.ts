import assert from "node:assert/strict";
import type { CommittedEvent, Scope } from "../journal.ts";
import { INSIDE, numbered, readAll, take, type StoreTest } from "./subject.ts";

const SCOPES: readonly Scope[] = [{ stream: "/a" }, { prefix: "/" }];

/** Following streams live. */
export function subscribeSuite(test: StoreTest): void {
  test("subscribe gives what is there and then what comes, none missed or repeated", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    await handle.append("/a", numbered(600));
    const followers = SCOPES.flatMap((scope) => [
      take(journal.subscribe(scope), 900),
      take(journal.subscribe(scope), 900),
    ]);
    for (let n = 601; n <= 900; n += 3) await handle.append("/a", numbered(3, n));
    const expected = await readAll(journal, "/a");
    for (const follower of followers) assert.deepEqual(await follower, expected);
  });

  test("subscribe begins after a cursor", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const events = [...(await handle.append("/a", numbered(4))), ...(await handle.append("/b", numbered(2)))];
    const tail = journal.subscribe({ stream: "/a" }, { after: 3 });
    assert.equal((await tail.next()).value?.offset, 4);
    await tail.return?.();
    const after = (events[2] as CommittedEvent).position;
    assert.deepEqual(await take(journal.subscribe({ prefix: "/" }, { after }), 3), events.slice(3));
    const future = take(journal.subscribe({ stream: "/c" }, { after: 2 }), 1);
    await handle.append("/c", numbered(3));
    assert.equal((await future)[0]?.offset, 3);
  });

  test("a prefix gives the events of its streams in commit order", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const names = ["/in/a", "/out", "/in/b", "/inside", "/in/a", "/out", "/in/é"];
    const followed = take(journal.subscribe({ prefix: "/in/" }), 12);
    const committed: CommittedEvent[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (const name of names) committed.push(...(await handle.append(name, numbered(1, round))));
    }
    assert.deepEqual(
      await followed,
      committed.filter(({ stream }) => stream.startsWith("/in/")),
    );
  });

  test("concurrent writers and followers agree on one order", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const followers = [
      take(journal.subscribe({ prefix: "/" }), 200),
      take(journal.subscribe({ prefix: "/" }), 200),
    ];
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => handle.append(`/s/${index % 7}`, numbered(2, index))),
    );
    const [one, two] = await Promise.all(followers);
    assert.deepEqual(one, two);
    for (let stream = 0; stream < 7; stream += 1) {
      const name = `/s/${stream}`;
      assert.deepEqual(
        one?.filter((event) => event.stream === name),
        await readAll(journal, name),
      );
    }
  });

  test("a slow follower holds nobody up and misses nothing", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const slow = journal.subscribe({ stream: "/a" });
    assert.equal((await Promise.all([slow.next(), handle.append("/a", numbered(1))]))[0].value?.offset, 1);
    await handle.append("/a", numbered(1_000, 2));
    assert.equal(await journal.head("/a"), 1_001);
    const rest = await take(slow, 1_000);
    assert.deepEqual(
      rest.map(({ offset }) => offset),
      Array.from({ length: 1_000 }, (_, index) => index + 2),
    );
  });

  test("a subscription ends when its signal aborts, waiting or not", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    await handle.append("/a", numbered(3));
    for (const scope of SCOPES) {
      const before = new AbortController();
      before.abort();
      for await (const event of journal.subscribe(scope, { signal: before.signal }))
        assert.fail(String(event.offset));
      const during = new AbortController();
      const seen: number[] = [];
      for await (const { offset } of journal.subscribe(scope, { signal: during.signal })) {
        seen.push(offset);
        if (offset === 2) during.abort();
      }
      assert.deepEqual(seen, [1, 2]);
      const waiting = new AbortController();
      const tail = journal.subscribe(scope, { signal: waiting.signal });
      for (let offset = 1; offset <= 3; offset += 1) assert.equal((await tail.next()).value?.offset, offset);
      const next = tail.next();
      waiting.abort();
      assert.deepEqual(await next, { done: true, value: undefined });
    }
  });

  test("a subscription ends when its consumer leaves, also in mid-wait", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    for (const scope of SCOPES) {
      const tail = journal.subscribe(scope, { after: await journal.head("/a") });
      const next = tail.next();
      await tail.return?.();
      assert.deepEqual(await next, { done: true, value: undefined });
      assert.deepEqual(await tail.next(), { done: true, value: undefined });
      await handle.append("/a", numbered(1));
    }
  });

  test("closing ends subscriptions and refuses what comes later", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const landed = handle.append("/a", numbered(2));
    const ended = SCOPES.map((scope) => take(journal.subscribe(scope), 100));
    await landed;
    await journal.close();
    await journal.close();
    for (const events of await Promise.all(ended)) assert.ok(events.length <= 2);
    const closed = { code: "journal-closed" };
    await assert.rejects(handle.append("/a", numbered(1)), closed);
    await assert.rejects(journal.head("/a"), closed);
    await assert.rejects(readAll(journal, "/a"), closed);
    assert.throws(() => journal.subscribe({ stream: "/a" }), closed);
    await assert.rejects(journal.lease({ stream: "/a", processor: "p" }, { ttlMs: 60_000 }), closed);
    await assert.rejects(journal.checkpoints.load("p", { stream: "/a" }), closed);
  });
}
