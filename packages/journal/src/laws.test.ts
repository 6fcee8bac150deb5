import assert from "node:assert/strict";
import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { CommittedEvent, Journal, JournalHandle, NewEvent } from "./journal.ts";
import { exportJsonl, importJsonl } from "./jsonl.ts";
import { memoryStore, sqliteStore } from "./fixtures/stores.ts";
import { INSIDE, readAll, take, type StoreUnderTest, type TestStore } from "./testing/subject.ts";

const RUNS = 1_000;

/** JSON values as text in any spelling, and as values. */
const payload = fc.jsonValue({ maxDepth: 3 });
const keyed: fc.Arbitrary<NewEvent> = fc.record({
  type: fc.oneof({ weight: 9, arbitrary: fc.constant("test/a") }, fc.constant("test/__proto__")),
  payload: fc.oneof(
    { weight: 9, arbitrary: fc.constant<unknown>({ b: [1], a: null }) },
    fc.constantFrom<unknown>({ a: null, b: [1] }, { a: 1 }, 0),
  ),
  idempotencyKey: fc.constantFrom("k", "l", "__proto__"),
});
const draft: fc.Arbitrary<NewEvent> = fc.oneof(
  keyed,
  fc.record({ type: fc.constantFrom("test/a", "test/b"), payload }),
);
const step = fc.record({
  stream: fc.constantFrom("/a", "/a/c"),
  events: fc.array(draft, { maxLength: 5 }),
  expect: fc.option(fc.nat({ max: 6 }), { freq: 3 }),
});

/** What the journal is, as an array: append's whole rule in a few lines. */
class Model {
  readonly streams = new Map<string, CommittedEvent[]>();
  readonly seen = { appended: 0, known: 0, twice: 0, conflict: 0, offset: 0, empty: 0 };

  predict(
    stream: string,
    events: readonly NewEvent[],
    expected: number | null,
  ): (number | NewEvent)[] | string {
    const held = this.streams.get(stream) ?? [];
    const fresh = new Map<string, NewEvent>();
    const outcome: (number | NewEvent)[] = [];
    for (const event of events) {
      const key = event.idempotencyKey;
      const before =
        key === undefined ? undefined : held.find(({ idempotencyKey }) => idempotencyKey === key);
      const twin = key === undefined ? undefined : (before ?? fresh.get(key));
      if (twin !== undefined && !this.#same(twin, event)) return "idempotency-conflict";
      if (before !== undefined) this.seen.known += 1;
      else if (twin !== undefined) this.seen.twice += 1;
      if (key !== undefined && twin === undefined) fresh.set(key, event);
      outcome.push(before === undefined ? (twin ?? event) : before.offset);
    }
    const appends = outcome.some((item) => typeof item === "object");
    if (appends && expected !== null && expected !== held.length) return "offset-conflict";
    return outcome;
  }

  #same(a: CommittedEvent | NewEvent, b: NewEvent): boolean {
    const body = (event: CommittedEvent | NewEvent): unknown =>
      "payload" in event ? event.payload : undefined;
    const normal = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    try {
      assert.deepEqual([a.type, normal(body(a))], [b.type, normal(body(b))]);
      return true;
    } catch {
      return false;
    }
  }
}

async function runStep(
  model: Model,
  handle: JournalHandle,
  { stream, events, expect }: { stream: string; events: NewEvent[]; expect: number | null },
): Promise<void> {
  const predicted = model.predict(stream, events, expect);
  const appending = handle.append(stream, events, expect === null ? {} : { expectedOffset: expect });
  if (typeof predicted === "string") {
    model.seen[predicted === "offset-conflict" ? "offset" : "conflict"] += 1;
    await assert.rejects(appending, { code: predicted });
    return;
  }
  const committed = await appending;
  const held = model.streams.get(stream) ?? [];
  const landed = new Map<NewEvent, CommittedEvent>();
  assert.equal(committed.length, events.length);
  if (events.length === 0) model.seen.empty += 1;
  predicted.forEach((item, index) => {
    const event = committed[index] as CommittedEvent;
    if (typeof item === "number") {
      assert.deepEqual(event, held[item - 1]);
      return;
    }
    const before = landed.get(item);
    if (before !== undefined) {
      assert.deepEqual(event, before);
      return;
    }
    landed.set(item, event);
    held.push(event);
    model.seen.appended += 1;
    assert.equal(event.offset, held.length);
    assert.equal(event.payloadText, JSON.stringify((item as { payload: unknown }).payload));
    assert.deepEqual(event.payload, JSON.parse(event.payloadText));
    assert.deepEqual(
      [event.type, event.idempotencyKey, event.source],
      [item.type, item.idempotencyKey, INSIDE],
    );
  });
  if (held.length > 0) model.streams.set(stream, held);
}

/** One store for all runs of a law; each run works under a prefix of its own. */
function useStore(subject: StoreUnderTest): { journal: () => Journal; room: () => string } {
  let store: TestStore;
  let journal: Journal;
  let rooms = 0;
  beforeAll(async () => {
    store = await subject.create();
    journal = await store.open();
  });
  afterAll(async () => {
    await journal.close();
    await store.remove?.();
  });
  return { journal: () => journal, room: () => `/room-${String((rooms += 1))}` };
}

describe.each([memoryStore, sqliteStore])("laws of the journal on $name", (subject) => {
  const { journal, room } = useStore(subject);

  it("appends and reads like an array", { timeout: 120_000 }, async () => {
    const totals: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const base = room();
        const model = new Model();
        const handle = journal().as(INSIDE);
        for (const { stream, ...rest } of steps)
          await runStep(model, handle, { stream: base + stream, ...rest });
        const committed: CommittedEvent[] = [];
        for (const [stream, events] of model.streams) {
          assert.deepEqual(await readAll(journal(), stream), events);
          assert.equal(await journal().head(stream), events.length);
          committed.push(...events);
        }
        committed.sort((a, b) => a.position - b.position);
        const tail = journal().subscribe(
          { prefix: `${base}/` },
          { after: (committed[0]?.position ?? 1) - 1 },
        );
        assert.deepEqual(await take(tail, committed.length), committed);
        for (const [name, count] of Object.entries(model.seen)) totals[name] = (totals[name] ?? 0) + count;
      }),
      { numRuns: RUNS },
    );
    for (const [name, count] of Object.entries(totals))
      assert.ok(count > 20, `${name} occurred ${String(count)} times`);
  });

  it("reads the same whatever the page size, the range or the types", { timeout: 120_000 }, async () => {
    const stream = room();
    const types = ["test/a", "test/b", "test/c"];
    const events = Array.from({ length: 300 }, (_, n) => ({
      type: types[(n * n) % 3] as string,
      payload: { n, text: "x".repeat(n % 7 === 0 ? 40_000 : 10) },
    }));
    const all = await journal().as(INSIDE).append(stream, events);
    const range = fc.record(
      {
        after: fc.nat({ max: 310 }),
        through: fc.nat({ max: 310 }),
        pageSize: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 10_000 })),
        types: fc.subarray(types),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(range, async (options) => {
        const expected = all.filter(
          ({ offset, type }) =>
            offset > (options.after ?? 0) &&
            offset <= (options.through ?? Infinity) &&
            (options.types?.includes(type) ?? true),
        );
        assert.deepEqual(
          (await readAll(journal(), stream, options)).map(({ offset }) => offset),
          expected.map(({ offset }) => offset),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it(
    "exports and imports any stream, however the file is cut into chunks",
    { timeout: 120_000 },
    async () => {
      const spelled = fc
        .tuple(payload, fc.constantFrom("", " ", "\t", "\r\n "))
        .map(([value, indent]) => JSON.stringify(value, undefined, indent));
      const restored = fc.array(
        fc.record({ gap: fc.integer({ min: 1, max: 3 }), payloadText: spelled, step: fc.nat({ max: 5 }) }),
        { maxLength: 6 },
      );
      await fc.assert(
        fc.asyncProperty(restored, fc.array(fc.nat()), async (items, cuts) => {
          const [from, to] = [room(), room()];
          let [offset, time] = [0, 0];
          const events = items.map(({ gap, payloadText, step: ms }, index) => ({
            offset: (offset += gap),
            type: "test/any",
            payloadText,
            createdAt: new Date((time += ms)).toISOString(),
            ...(index % 2 === 0 ? { idempotencyKey: `k${String(index)}` } : { source: INSIDE }),
          }));
          await journal().restore(from, events, { after: 0 });
          let text = "";
          for await (const chunk of exportJsonl(journal(), from)) text += chunk;
          const bytes = Buffer.from(text);
          const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
            (a, b) => a - b,
          );
          const chunks = borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
          assert.deepEqual(await importJsonl(journal(), to, chunks), {
            events: events.length,
            alreadyThere: 0,
          });
          const plain = (event: CommittedEvent): unknown => ({ ...event, stream: "", position: 0 });
          assert.deepEqual(
            (await readAll(journal(), to)).map(plain),
            (await readAll(journal(), from)).map(plain),
          );
        }),
        { numRuns: RUNS },
      );
    },
  );
});
