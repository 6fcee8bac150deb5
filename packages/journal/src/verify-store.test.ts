import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { createJournal } from "./create-journal.ts";
import { createMemoryStore } from "./memory.ts";
import type { Store } from "./store.ts";
import { INSIDE, numbered } from "./testing/subject.ts";

/**
 * A store whose order ends before `gap`, as if an append on its way stood there, until it was read `looks` times from there;
 * `lost` is a position that the order leaves out for good.
 */
function withGap(
  store: Store,
  { gap = Infinity, looks = 0, lost = 0 }: { gap?: number; looks?: number; lost?: number },
): Store {
  let left = looks;
  return {
    ...store,
    events: {
      append: (request) => store.events.append(request),
      restore: (...values) => store.events.restore(...values),
      readStream: (...values) => store.events.readStream(...values),
      head: (stream) => store.events.head(stream),
      streamNames: (...values) => store.events.streamNames(...values),
      watch: (...values) => store.events.watch(...values),
      integrity: () => store.events.integrity(),
      async readPrefix(prefix, request) {
        const page = await store.events.readPrefix(prefix, request);
        const hidden = left > 0;
        left -= 1;
        const events = page.events.filter(({ position }) => position !== lost && (!hidden || position < gap));
        if (!hidden || events.length === page.events.length) return { ...page, events };
        return { events, next: events.at(-1)?.position ?? request.after, more: false };
      },
    },
  };
}

async function verifyWith(options: Parameters<typeof withGap>[1]): Promise<readonly string[]> {
  const journal = createJournal(withGap(createMemoryStore(Date.now), options));
  for (const stream of ["/a", "/b", "/a", "/c", "/a"]) await journal.as(INSIDE).append(stream, numbered(2));
  const { problems } = await journal.verify();
  return problems.map(({ stream, message }) => `${stream ?? ""} ${message}`);
}

describe("verify while an append is on its way", () => {
  it("goes on when the append has ended", async () => {
    assert.deepEqual(await verifyWith({ gap: 6, looks: 3 }), []);
  });

  it("reports nothing of what stands behind an append that does not end", async () => {
    assert.deepEqual(await verifyWith({ gap: 6, looks: Infinity }), []);
  });

  it("still finds what the order leaves out", async () => {
    const missing = ["/a holds 6 events, but 5 in the journal's order"];
    assert.deepEqual(await verifyWith({ lost: 2 }), missing);
    assert.deepEqual(await verifyWith({ lost: 6, gap: 4, looks: 2 }), missing);
    assert.deepEqual(await verifyWith({ lost: 2, gap: 6, looks: Infinity }), [
      "/a holds 3 events, but 2 in the journal's order",
    ]);
  });
});
