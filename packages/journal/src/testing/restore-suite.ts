import assert from "node:assert/strict";
import type { NewEvent } from "../journal.ts";
import { exportJsonl, importJsonl } from "../jsonl.ts";
import { INSIDE, numbered, readAll, take, type StoreTest } from "./subject.ts";

const RESTORED = {
  offset: 3,
  type: "test/restored",
  payloadText: '{"b":1.0,"a":1e2}',
  createdAt: "2020-01-01T00:00:00.000Z",
};

/** Restoring events as they were, and JSONL. */
export function restoreSuite(test: StoreTest): void {
  test("restore keeps offsets, times, keys and sources, and appending goes on from there", async ({
    open,
  }) => {
    const journal = await open();
    const source = { processor: "old", trust: "outside" as const };
    const events = [RESTORED, { ...RESTORED, offset: 7, idempotencyKey: "k", source }];
    await journal.restore("/a", events, { after: 0 });
    const read = await readAll(journal, "/a");
    assert.deepEqual(
      read.map(({ stream: _stream, position: _position, payload: _payload, ...rest }) => rest),
      events,
    );
    assert.deepEqual(await take(journal.subscribe({ prefix: "/a" }), 2), read);
    assert.equal(await journal.head("/a"), 7);
    const same = { type: RESTORED.type, payloadText: RESTORED.payloadText, idempotencyKey: "k" };
    const [known, fresh] = await journal.as(INSIDE).append("/a", [same, ...numbered(1)]);
    assert.deepEqual([known?.offset, fresh?.offset], [7, 8]);
  });

  test("restore refuses what would break the stream, and leaves it as it was", async ({ open }) => {
    const journal = await open();
    await journal.restore("/a", [{ ...RESTORED, idempotencyKey: "k" }], { after: 0 });
    const next = { ...RESTORED, offset: 4 };
    await assert.rejects(journal.restore("/a", [next], { after: 0 }), {
      code: "offset-conflict",
      actualOffset: 3,
    });
    const bad: [change: Record<string, unknown>, message: RegExp][] = [
      [{ offset: 3 }, /^the event \/a@3 does not ascend: the offset before it is 4; sort the events/],
      [{ offset: 0 }, /no whole number from 1 to/],
      [{ offset: 4.5 }, /no whole number from 1 to/],
      [{ offset: 2 ** 53 }, /no whole number from 1 to/],
      [{ offset: 2 ** 53 - 1 }, /no whole number from 1 to/],
      [{ offset: 2 ** 52 + 1 }, /no whole number from 1 to/],
      [{ payloadText: "[1e400]" }, /too large for JSON/],
      [{ createdAt: "2019-12-31T23:59:59.999Z" }, /before the previous event/],
      [{ createdAt: "2020-01-01T00:00:00Z" }, /createdAt/],
      [{ createdAt: "2020-13-01T00:00:00.000Z" }, /createdAt/],
      [{ createdAt: "2026-02-30T00:00:00.000Z" }, /createdAt/],
      [{ createdAt: 7 }, /createdAt/],
      [{ createdAt: undefined }, /has no createdAt; write ISO 8601 UTC/],
      [{ type: "" }, /type/],
      [{ payloadText: "{" }, /not JSON/],
      [{ idempotencyKey: "k" }, /"k"/],
      [{ source: { processor: "p", trust: "root" } }, /"inside" or "outside"/],
      [{ source: "web" }, /not \{ processor, trust \}/],
      [{ source: { processor: "", trust: "inside" } }, /source whose processor /],
      [{ source: { processor: "a\u0000", trust: "inside" } }, /source whose processor /],
    ];
    for (const [change, message] of bad) {
      const events = [next, { ...next, offset: 5, ...change }] as (typeof next)[];
      await assert.rejects(journal.restore("/a", events, { after: 3 }), { code: "invalid-event", message });
    }
    const twice = [4, 5].map((offset) => ({ ...next, offset, idempotencyKey: "l" }));
    await assert.rejects(journal.restore("/a", twice, { after: 3 }), { code: "invalid-event", index: 1 });
    assert.equal(await journal.head("/a"), 3);
  });

  test("after the greatest offset that restore takes, appending goes on", async ({ open }) => {
    const journal = await open();
    await journal.restore("/a", [{ ...RESTORED, offset: 2 ** 52 }], { after: 0 });
    const events = await journal.as(INSIDE).append("/a", numbered(2));
    assert.deepEqual(
      events.map(({ offset }) => offset),
      [2 ** 52 + 1, 2 ** 52 + 2],
    );
    assert.deepEqual((await readAll(journal, "/a")).slice(1), events);
    assert.deepEqual((await journal.verify()).problems, []);
  });

  test("export and import give the same stream", async ({ open }) => {
    const journal = await open();
    const texts = ["a\u2028b", "a\u2029b", "a\u0085b", "a\u000bb", "\ud83d\ude00", "\r\n", "\ufeff"];
    const events: NewEvent[] = [
      ...texts.map((text, index) => ({
        type: "test/text",
        payload: { text },
        idempotencyKey: `k\u2028${index}`,
      })),
      { type: "test/spelled", payloadText: '{"z":1.0,"a":2,"aa":3,"e":1e2}' },
      { type: "test/lines", payloadText: '{\r\n "a" : [\n1 ] }' },
      { type: "test/blanks", payloadText: ' {"a":1.0}' },
      { type: "test/blanks", payloadText: "\t1 " },
      { type: 'test/"quoted"', payload: { payload: 1, offset: '"}\\' } },
    ];
    await journal.as(INSIDE).append("/a", events);
    await journal.as({ processor: "web", trust: "outside" }).append("/a", numbered(700));
    const lines: string[] = [];
    for await (const chunk of exportJsonl(journal, "/a")) lines.push(chunk);
    const report = await importJsonl(journal, "/b", lines);
    assert.deepEqual(report, { events: events.length + 700, alreadyThere: 0 });
    const strip = async (stream: string): Promise<unknown[]> =>
      (await readAll(journal, stream)).map((event) => ({ ...event, stream: "", position: 0 }));
    assert.deepEqual(await strip("/b"), await strip("/a"));
    const [next] = await journal.as(INSIDE).append("/b", numbered(1));
    assert.equal(next?.offset, events.length + 701);
  });

  test("an interrupted import goes on, and one into another stream is refused", async ({ open }) => {
    const journal = await open();
    await journal.as(INSIDE).append("/a", numbered(1_300));
    let text = "";
    for await (const chunk of exportJsonl(journal, "/a")) text += chunk;
    const half = text.slice(0, text.length / 2);
    const first = await importJsonl(journal, "/b", [half]);
    assert.ok(first.events > 0 && first.torn !== undefined);
    assert.ok(half.endsWith(first.torn.text));
    const second = await importJsonl(journal, "/b", [text]);
    assert.deepEqual(second, { events: 1_300 - first.events, alreadyThere: first.events });
    await journal.as(INSIDE).append("/c", numbered(1));
    for (const stream of ["/a", "/c"]) {
      await assert.rejects(importJsonl(journal, stream, [half.replaceAll('"n":1', '"n":8')]), {
        code: "invalid-jsonl",
      });
    }
    await assert.rejects(importJsonl(journal, "/a", [half]), { code: "invalid-jsonl" });
    assert.equal(await journal.head("/c"), 1);
  });

  test("verify finds nothing wrong with a journal that only the journal wrote", async ({ open }) => {
    const journal = await open();
    await journal.as(INSIDE).append("/a", numbered(1_200));
    await journal.restore("/b", [RESTORED, { ...RESTORED, offset: 9 }], { after: 0 });
    await journal.as(INSIDE).append("/a", [{ type: "test/keyed", payload: "é\u0000", idempotencyKey: "k" }]);
    const progress: number[] = [];
    const report = await journal.verify({ onProgress: ({ events }) => progress.push(events) });
    assert.deepEqual(report, { streams: 2, events: 1_203, problems: [] });
    assert.deepEqual(progress, [1_201, 1_203]);
  });
}
