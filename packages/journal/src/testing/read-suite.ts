import assert from "node:assert/strict";
import { INSIDE, numbered, readAll, take, type StoreTest } from "./subject.ts";

/** Reading: ranges, types, pages, heads, names. */
export function readSuite(test: StoreTest): void {
  test("read gives the range that was asked for, in pages", async ({ open }) => {
    const journal = await open();
    await journal.as(INSIDE).append("/a", numbered(25));
    const offsets = async (options: Parameters<typeof readAll>[2]): Promise<number[]> =>
      (await readAll(journal, "/a", options)).map(({ offset }) => offset);
    const all = Array.from({ length: 25 }, (_, index) => index + 1);
    assert.deepEqual(await offsets({}), all);
    assert.deepEqual(await offsets({ after: 20 }), all.slice(20));
    assert.deepEqual(await offsets({ through: 5, pageSize: 2 }), all.slice(0, 5));
    assert.deepEqual(await offsets({ after: 4, through: 9, pageSize: 5 }), all.slice(4, 9));
    assert.deepEqual(await offsets({ after: 9, through: 4 }), []);
    assert.deepEqual(await offsets({ after: 25 }), []);
    assert.deepEqual(await offsets({ after: 1_000 }), []);
    const sizes: number[] = [];
    for await (const page of journal.read("/a", { pageSize: 10 })) sizes.push(page.length);
    assert.deepEqual(sizes, [10, 10, 5]);
  });

  test("read filters by type, also where matches are rare", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const rare = { type: "test/rare", payload: null };
    await handle.append("/a", [
      rare,
      ...numbered(5_000),
      rare,
      ...numbered(10),
      { ...rare, type: "test/other" },
    ]);
    const found = await readAll(journal, "/a", { types: ["test/rare", "test/other"], pageSize: 2 });
    assert.deepEqual(
      found.map(({ offset }) => offset),
      [1, 5_002, 5_013],
    );
    assert.deepEqual(await readAll(journal, "/a", { types: [] }), []);
    assert.deepEqual(await readAll(journal, "/a", { types: ["test/absent", "__proto__"] }), []);
  });

  test("a page ends early when payloads are large", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const payload = "x".repeat(3 * 1024 * 1024);
    for (let count = 0; count < 5; count += 1) await handle.append("/a", [{ type: "test/large", payload }]);
    const sizes: number[] = [];
    for await (const page of journal.read("/a")) sizes.push(page.length);
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      5,
    );
    assert.ok(Math.max(...sizes) <= 2, `pages of ${sizes.join(", ")} large events`);
  });

  test("an unknown stream is empty", async ({ open }) => {
    const journal = await open();
    await journal.as(INSIDE).append("/a", numbered(1));
    for (const stream of ["/b", "/a/", "/A"]) {
      assert.deepEqual(await readAll(journal, stream), []);
      assert.equal(await journal.head(stream), 0);
    }
  });

  test("options out of range are refused", async ({ open }) => {
    const journal = await open();
    for (const value of [-1, 1.5, NaN, "1"]) {
      const bad = value as number;
      const invalid = { code: "invalid-option" };
      for (const name of ["after", "through", "pageSize"]) {
        await assert.rejects(readAll(journal, "/a", { [name]: bad }), invalid);
      }
      await assert.rejects(journal.as(INSIDE).append("/a", numbered(1), { expectedOffset: bad }), invalid);
      assert.throws(() => journal.subscribe({ stream: "/a" }, { after: bad }), invalid);
    }
    assert.equal(await journal.head("/a"), 0);
  });

  test("an option that is undefined counts as left out", async ({ open }) => {
    const journal = await open({ clock: undefined });
    const handle = journal.as(INSIDE);
    const events = [{ type: "test/any", payload: 1, idempotencyKey: undefined }];
    const nothing = { after: undefined, through: undefined, types: undefined, pageSize: undefined };
    const committed = [
      ...(await handle.append("/a", events, { expectedOffset: undefined, lease: undefined })),
      ...(await handle.append("/a", events)),
    ];
    assert.deepEqual(await readAll(journal, "/a", nothing), committed);
    const followed = journal.subscribe({ prefix: "/" }, { after: undefined, signal: undefined });
    assert.deepEqual(await take(followed, 2), committed);
    for await (const name of journal.streams({ prefix: undefined })) assert.equal(name, "/a");
    const lease = await journal.lease(
      { stream: "/a", processor: "p" },
      { ttlMs: 60_000, wait: undefined, signal: undefined },
    );
    assert.ok(lease);
    const key = { stream: "/a", foldVersion: "1", contractVersion: "1" };
    assert.equal(await journal.snapshots.load(key, { through: undefined }), undefined);
    assert.deepEqual((await journal.verify({ onProgress: undefined })).problems, []);
  });

  test("streams are listed by prefix, in code point order", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const names = ["/a", "/a%", "/a/1", "/a/10", "/a/2", "/a_b", "/ab", "/b", "/Z", "/\uffef", "/😀"];
    for (const name of [...names].reverse()) await handle.append(name, numbered(1));
    const list = async (prefix?: string): Promise<string[]> => {
      const found: string[] = [];
      for await (const name of journal.streams({ prefix })) found.push(name);
      return found;
    };
    assert.deepEqual(await list(), [
      "/Z",
      "/a",
      "/a%",
      "/a/1",
      "/a/10",
      "/a/2",
      "/a_b",
      "/ab",
      "/b",
      "/\uffef",
      "/😀",
    ]);
    assert.deepEqual(await list("/a/"), ["/a/1", "/a/10", "/a/2"]);
    assert.deepEqual(await list("/a%"), ["/a%"]);
    assert.deepEqual(await list("/a_"), ["/a_b"]);
    assert.deepEqual(await list("/c"), []);
    await assert.rejects(list("a"), { code: "invalid-name" });
  });

  test("many streams are listed page by page", async ({ open }) => {
    const journal = await open();
    const handle = journal.as(INSIDE);
    const names = Array.from({ length: 1_201 }, (_, index) => `/many/${String(index).padStart(5, "0")}`);
    await Promise.all(names.map((name) => handle.append(name, numbered(1))));
    const found: string[] = [];
    for await (const name of journal.streams({ prefix: "/many/" })) found.push(name);
    assert.deepEqual(found, names);
  });
}
