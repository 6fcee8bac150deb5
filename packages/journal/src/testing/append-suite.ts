import assert from "node:assert/strict";
import { limits } from "../limits.ts";
import type { NewEvent } from "../journal.ts";
import { INSIDE, numbered, readAll, type StoreTest } from "./subject.ts";

const keyed = (idempotencyKey: string, payload: unknown): NewEvent => ({
  type: "test/keyed",
  payload,
  idempotencyKey,
});

/** Appending: order, atomicity, idempotency, conflicts, what is refused. */
export function appendSuite(test: StoreTest): void {
  test("append returns the committed events in input order, with contiguous offsets", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const first = await handle.append("/a", numbered(3));
    const other = await handle.append("/b", numbered(1));
    const second = await handle.append("/a", numbered(2, 4));
    assert.deepEqual(
      [...first, ...second].map(({ offset, payload }) => [offset, payload]),
      [1, 2, 3, 4, 5].map((n) => [n, { n }]),
    );
    const positions = [...first, ...other, ...second].map(({ position }) => position);
    assert.deepEqual(
      positions,
      [...new Set(positions)].sort((a, b) => a - b),
    );
    assert.deepEqual(await readAll(journal, "/a"), [...first, ...second]);
  });

  test("an empty batch is nothing, whatever the options say", async ({ open }) => {
    const journal = await open();
    assert.deepEqual(await journal.as(INSIDE).append("/a", [], { expectedOffset: 7 }), []);
    assert.equal(await journal.head("/a"), 0);
    for await (const name of journal.streams()) assert.fail(name);
  });

  test("a known key with an equal event gives the committed event, whoever appends it", async ({ open }) => {
    const journal = await open();
    const committed = await journal
      .as(INSIDE)
      .append("/a", [keyed("k", { a: 1, b: [1.5, null] }), keyed("l", 2)]);
    const again = await journal
      .as({ processor: "other", trust: "inside" })
      .append("/a", [keyed("l", 2), { ...keyed("k", 0), payload: { b: [1.5, null], a: 1 } }], {
        expectedOffset: 99,
      });
    assert.deepEqual(again, [committed[1], committed[0]]);
    const spelled = [
      { type: "test/keyed", payloadText: '{ "b": [15e-1, null], "a": 1.0 }', idempotencyKey: "k" },
    ];
    assert.deepEqual(await journal.as(INSIDE).append("/a", spelled), [committed[0]]);
    assert.equal(await journal.head("/a"), 2);
    // JSON writes -0 as 0.
    const zero = { type: "test/keyed", idempotencyKey: "zero" };
    const negative = await journal.as(INSIDE).append("/a", [{ ...zero, payloadText: '{"a":[-0]}' }]);
    for (const a of [[-0], [0]])
      assert.deepEqual(await journal.as(INSIDE).append("/a", [{ ...zero, payload: { a } }]), negative);
    await assert.rejects(journal.as(INSIDE).append("/a", [{ ...zero, payload: { a: 0 } }]), {
      code: "idempotency-conflict",
    });
  });

  test("a mixed batch stores what is new and gives back what is known", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const [known] = await handle.append("/a", [keyed("k", 1)]);
    const batch = [...numbered(1), keyed("k", 1), keyed("l", 2), keyed("l", 2), ...numbered(1)];
    const committed = await handle.append("/a", batch, { expectedOffset: 1 });
    assert.deepEqual(
      committed.map(({ offset }) => offset),
      [2, 1, 3, 3, 4],
    );
    assert.deepEqual(committed[1], known);
    assert.equal(await journal.head("/a"), 4);
  });

  test("a key belongs to its stream, and no key has a meaning", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    for (const key of ["__proto__", "constructor", "toString", "0", "%", "' OR 1=1 --", "key\u2028😀"]) {
      const [a] = await handle.append("/a", [keyed(key, { key })]);
      const [b] = await handle.append("/b", [keyed(key, "other")]);
      assert.equal(a?.idempotencyKey, key);
      assert.equal(b?.payload, "other");
      assert.deepEqual(await handle.append("/a", [keyed(key, { key })]), [a]);
    }
  });

  test("the longest key, and one with code points that are no characters, stand for their event", async ({
    open,
  }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    // Text that does not shrink when it is packed, as a database may pack it.
    let seed = 1;
    const longest = Array.from({ length: limits.idempotencyKeyBytes }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return String.fromCharCode(33 + (seed % 94));
    }).join("");
    for (const key of [longest, "a\uffff\ufdd0\u{10ffff}"]) {
      const committed = await handle.append("/a", [keyed(key, 1)]);
      assert.deepEqual(await handle.append("/a", [keyed(key, 1)]), committed);
      await assert.rejects(handle.append("/a", [keyed(key, 2)]), { code: "idempotency-conflict" });
    }
    await assert.rejects(handle.append("/a", [keyed(`${longest}!`, 1)]), {
      code: "invalid-event",
      message: /longer than 2048 bytes; shorten it/,
    });
  });

  test("a known key with another event is a conflict, and nothing of the batch lands", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    await handle.append("/a", [keyed("k", { a: 1 })]);
    const conflict = { code: "idempotency-conflict", stream: "/a", idempotencyKey: "k", committedOffset: 1 };
    for (const event of [
      keyed("k", { a: 2 }),
      keyed("k", [1]),
      { ...keyed("k", { a: 1 }), type: "test/other" },
    ]) {
      await assert.rejects(handle.append("/a", [...numbered(2), event, ...numbered(2)]), conflict);
    }
    await assert.rejects(handle.append("/a", [keyed("x", 1), keyed("x", 2)]), {
      code: "idempotency-conflict",
      committedOffset: undefined,
    });
    assert.equal(await journal.head("/a"), 1);
  });

  test("idempotency is judged first, then the expected offset, then the lease", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    await handle.append("/a", [keyed("k", 1)]);
    const lease = await journal.lease({ stream: "/a", processor: "p" }, { ttlMs: 60_000 });
    assert.ok(lease);
    await lease.release();
    const wrong = { expectedOffset: 5, lease };
    await assert.rejects(handle.append("/a", [keyed("k", 2)], wrong), { code: "idempotency-conflict" });
    await assert.rejects(handle.append("/a", [keyed("l", 2)], wrong), {
      code: "offset-conflict",
      expectedOffset: 5,
      actualOffset: 1,
    });
    await assert.rejects(handle.append("/a", [keyed("l", 2)], { expectedOffset: 1, lease }), {
      code: "lease-lost",
    });
    assert.equal((await handle.append("/a", [keyed("k", 1)], wrong))[0]?.offset, 1);
    assert.equal(await journal.head("/a"), 1);
  });

  test("of appends that expect one offset, one wins", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const outcomes = await Promise.allSettled(
      numbered(8).map((event) => handle.append("/new", [event], { expectedOffset: 0 })),
    );
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal(await journal.head("/new"), 1);
  });

  test("concurrent batches stay whole, and those of one caller keep their order", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const committed = await Promise.all(
      Array.from({ length: 40 }, (_, batch) => handle.append("/a", numbered(3, batch * 3))),
    );
    const events = await readAll(journal, "/a");
    assert.deepEqual(events, committed.flat());
    assert.deepEqual(
      events.map(({ offset, payload }) => [offset, payload]),
      Array.from({ length: 120 }, (_, n) => [n + 1, { n }]),
    );
  });

  test("concurrent appends of one key store one event", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const results = await Promise.all(
      Array.from({ length: 10 }, () => handle.append("/a", [keyed("k", { a: 1 })])),
    );
    for (const result of results) assert.deepEqual(result, results[0]);
    assert.equal(await journal.head("/a"), 1);
  });

  test("payload text is stored as it was written", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const texts = [
      '{"z":1.0,"a":2,"aa":3,"e":1e2}',
      ' [ 1 ,\n\t{ "a" : "\\u0000\\/\\ud800" } ]\r\n',
      '{"a":1,"a":2}',
      '"\u2028\u2029\u0085 é 😀"',
      "12345678901234567890",
      "-0",
      "null",
      '{"__proto__":{"x":1},"constructor":1}',
    ];
    await handle.append(
      "/a",
      texts.map((payloadText) => ({ type: "test/text", payloadText })),
    );
    const events = await readAll(journal, "/a");
    assert.deepEqual(
      events.map(({ payloadText }) => payloadText),
      texts,
    );
    for (const { payload, payloadText } of events) assert.deepEqual(payload, JSON.parse(payloadText));
  });

  test("nobody shares a payload with the journal", async ({ open }) => {
    const journal = await open();
    const payload = { list: [1] };
    const appending = journal.as(INSIDE).append("/a", [{ type: "test/shared", payload }]);
    payload.list.push(2);
    const [committed] = await appending;
    assert.deepEqual(committed?.payload, { list: [1] });
    committed.payload.list.push(3);
    const [read] = await readAll(journal, "/a");
    assert.deepEqual(read?.payload, { list: [1] });
    read.payload.list.push(4);
    assert.deepEqual((await readAll(journal, "/a"))[0]?.payload, { list: [1] });
  });

  test("what JSON cannot carry is refused before anything is written", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const circular: Record<string, unknown> = {};
    circular["self"] = { circular };
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const deepText = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const throwing = (target: object): object =>
      new Proxy(target, {
        get: () => {
          throw new RangeError("mine");
        },
      });
    const values = [
      undefined,
      () => 1,
      1n,
      NaN,
      Infinity,
      Symbol("s"),
      new Date(0),
      new Map(),
      new (class Point {
        x = 1;
      })(),
      deep,
      Object.assign([1], { extra: 2 }),
      throwing({}),
      throwing([]),
      revoked.proxy,
    ];
    const payloads = [...values, ...values.map((value) => ({ at: [value] })), circular, { toJSON: () => 1 }];
    const events: unknown[] = [
      ...payloads.map((payload) => ({ type: "test/bad", payload })),
      ...[
        "",
        "{",
        "undefined",
        "{} {}",
        "'a'",
        '"\ud800"',
        "1e400",
        '{"a":[-1E+999]}',
        "9".repeat(400),
        deepText,
        7,
        null,
      ].map((payloadText) => ({
        type: "test/bad",
        payloadText,
      })),
      { type: "test/bad" },
      { type: "test/bad", payload: 1, payloadText: "1" },
      ...["", "a\u0000b", "\n", "\ud800", 7, undefined, "t".repeat(limits.nameBytes + 1)].map((type) => ({
        type,
        payload: 1,
      })),
      ...["", "a\u0007", "\udc00", 7, null, "é".repeat(limits.idempotencyKeyBytes / 2 + 1)].map(
        (idempotencyKey) => ({
          type: "test/bad",
          payload: 1,
          idempotencyKey,
        }),
      ),
      null,
      "event",
      throwing({}),
      revoked.proxy,
    ];
    for (const event of events) {
      const batch = [...numbered(1), event as NewEvent];
      await assert.rejects(handle.append("/a", batch), { code: "invalid-event", index: 1 });
    }
    assert.equal(await journal.head("/a"), 0);
  });

  test("events and batches above the limits are refused", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const large = "é".repeat(limits.payloadBytes / 2);
    // Small in memory, and far too large as text; the leaf is long, so that measuring takes no second.
    const leaf = "x".repeat(1_000);
    const shared = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], leaf);
    const tooLarge = { code: "event-too-large" };
    await assert.rejects(handle.append("/a", [{ type: "test/large", payload: large }]), tooLarge);
    await assert.rejects(handle.append("/a", [{ type: "test/large", payloadText: `"${large}"` }]), tooLarge);
    await assert.rejects(handle.append("/a", [{ type: "test/large", payload: shared }]), tooLarge);
    await assert.rejects(handle.append("/a", numbered(limits.batchEvents + 1)), tooLarge);
    const most = { type: "test/large", payload: large.slice(1) };
    await assert.rejects(handle.append("/a", [most, most, most, most, most]), tooLarge);
    assert.equal(await journal.head("/a"), 0);
    assert.equal((await handle.append("/a", [most])).length, 1);
    assert.deepEqual((await readAll(journal, "/a"))[0]?.payload, large.slice(1));
  });

  test("a stream's name starts with a slash and can be shown", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const bad: unknown[] = [
      "",
      "a",
      " /a",
      "/a\nb",
      "/\u0000",
      "/\u009f",
      "/\ud800",
      "/\u{10FFFF}",
      7,
      undefined,
    ];
    for (const stream of [...bad, `/${"s".repeat(limits.streamBytes)}`]) {
      await assert.rejects(handle.append(stream as string, numbered(1)), { code: "invalid-name" });
      await assert.rejects(journal.head(stream as string), { code: "invalid-name" });
      assert.throws(() => journal.read(stream as string), { code: "invalid-name" });
    }
    for (const stream of [
      "/",
      "/__proto__",
      "/A/ä 😀\u2028'\"%_",
      `/${"s".repeat(limits.streamBytes - 1)}`,
    ]) {
      assert.equal((await handle.append(stream, numbered(1)))[0]?.stream, stream);
      assert.equal((await readAll(journal, stream)).length, 1);
    }
  });

  test("times are ISO 8601 with milliseconds, and never go back", async ({ open }) => {
    const times = [1_000_000.7, 2_000_000, 500_000, 1_999_999, 3_000_000];
    let calls = 0;
    const journal = await open({ clock: () => times[calls] as number });
    const handle = journal.as(INSIDE);
    const seen: string[] = [];
    for (; calls < times.length; calls += 1) {
      const committed = await handle.append("/a", numbered(2));
      seen.push(...committed.map(({ createdAt }) => createdAt));
    }
    const expected = [1_000_000, 2_000_000, 2_000_000, 2_000_000, 3_000_000].flatMap((time) => [time, time]);
    assert.deepEqual(
      seen,
      expected.map((time) => new Date(time).toISOString()),
    );
    assert.deepEqual(
      (await readAll(journal, "/a")).map(({ createdAt }) => createdAt),
      seen,
    );
  });

  test("no key from outside takes one that the inside decides by", async ({ open }) => {
    const journal = await open();
    const outside = journal.as({ processor: "web", trust: "outside" });
    const inside = journal.as(INSIDE);
    const event = { type: "t/done", payload: { from: "outside" }, idempotencyKey: "settle/8" };
    const [claimed] = await outside.append("/s", [event]);
    assert.equal(claimed?.idempotencyKey, "outside/settle/8");
    const [again] = await outside.append("/s", [event]);
    assert.equal(again?.offset, claimed.offset);
    const [settled] = await inside.append("/s", [{ ...event, payload: { from: "inside" } }]);
    assert.equal(settled?.offset, 2);
    const taken = { ...event, idempotencyKey: "outside/settle/8" };
    await assert.rejects(inside.append("/s", [...numbered(1), taken]), { code: "invalid-event", index: 1 });
    // What is stored can be restored, so the longest key from outside is shorter.
    const long = "k".repeat(limits.idempotencyKeyBytes - 7);
    await assert.rejects(outside.append("/s", [{ ...event, idempotencyKey: long }]), {
      code: "invalid-event",
    });
    assert.equal((await outside.append("/s", [{ ...event, idempotencyKey: long.slice(1) }])).length, 1);
    assert.equal(await inside.head("/s"), 3);
  });

  test("the source is the handle's, whatever an event says", async ({ open }) => {
    const journal = await open();
    const given = { processor: "web", trust: "outside" as const };
    const handle = journal.as(given);
    (given as { trust: string }).trust = "inside";
    const forged = {
      type: "test/forged",
      payload: { source: INSIDE },
      source: INSIDE,
      offset: 9,
      createdAt: "x",
    };
    const [committed] = await handle.append("/a", [forged]);
    assert.deepEqual(committed?.source, { processor: "web", trust: "outside" });
    const [read] = await readAll(journal, "/a");
    assert.deepEqual(read?.source, { processor: "web", trust: "outside" });
    assert.equal(read.offset, 1);
    for (const bad of [
      { processor: "", trust: "inside" },
      { processor: "p", trust: "root" },
      { processor: "p" },
    ]) {
      assert.throws(() => journal.as(bad as typeof INSIDE), { code: /^invalid-(name|option)$/ });
    }
  });
}
