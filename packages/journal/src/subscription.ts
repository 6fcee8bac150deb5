import type { CommittedEvent, Scope } from "./journal.ts";
import type { Page, Store } from "./store.ts";

/** Events a subscription fetches at a time: enough to be fast, few enough to bound memory. */
const FETCH = 256;

/**
 * Follows a scope: reads pages until it has caught up, then waits for a commit. The watch is set before the first read,
 * and a commit that arrives during a read is remembered, so none is missed; the cursor keeps one from being repeated.
 */
export class Subscription implements AsyncIterableIterator<CommittedEvent> {
  readonly #events: AsyncGenerator<CommittedEvent, void, void>;
  readonly #stop: () => void;

  constructor(store: Store, scope: Scope, after: number, signals: readonly AbortSignal[]) {
    const controller = new AbortController();
    this.#stop = () => {
      controller.abort();
    };
    this.#events = follow(store, scope, after, AbortSignal.any([...signals, controller.signal]));
  }

  next(): Promise<IteratorResult<CommittedEvent, void>> {
    return this.#events.next();
  }

  /** Ends the subscription also while a `next` is waiting, which a bare generator would not do. */
  return(): Promise<IteratorResult<CommittedEvent, void>> {
    this.#stop();
    return this.#events.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

async function* follow(
  store: Store,
  scope: Scope,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<CommittedEvent, void, void> {
  let stirred = true;
  let resume: () => void = () => undefined;
  const wake = (): void => {
    stirred = true;
    resume();
  };
  const unwatch = store.watch(scope, wake);
  signal.addEventListener("abort", wake);
  let cursor = after;
  try {
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- it changes while the loop awaits
    while (!signal.aborted) {
      stirred = false;
      const page = await readPage(store, scope, cursor);
      for (const event of page.events) {
        if (signal.aborted) return;
        yield event;
      }
      cursor = page.next;
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- set by `wake` during the awaits above
      if (page.more || stirred) continue;
      await new Promise<void>((resolve) => {
        resume = resolve;
        if (signal.aborted) resolve();
      });
    }
  } finally {
    unwatch();
    signal.removeEventListener("abort", wake);
  }
}

function readPage(store: Store, scope: Scope, after: number): Promise<Page> {
  if ("prefix" in scope) return store.readPrefix(scope.prefix, { after, limit: FETCH });
  return store.readStream(scope.stream, { after, through: Infinity, types: undefined, limit: FETCH });
}
