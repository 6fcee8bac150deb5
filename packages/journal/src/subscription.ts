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
  const waiting = { stirred: false, resume: (): void => undefined };
  const wake = (): void => {
    waiting.stirred = true;
    waiting.resume();
  };
  const unwatch = store.watch(scope, wake);
  signal.addEventListener("abort", wake);
  let cursor = after;
  try {
    while (!signal.aborted) {
      waiting.stirred = false;
      const page = await readPage(store, scope, cursor);
      for (const event of page.events) {
        if (isAborted(signal)) return;
        yield event;
      }
      cursor = page.next;
      if (page.more) continue;
      await new Promise<void>((resolve) => {
        waiting.resume = resolve;
        if (waiting.stirred || isAborted(signal)) resolve();
      });
    }
  } finally {
    unwatch();
    signal.removeEventListener("abort", wake);
  }
}

/** Asked through a function, because the compiler takes a property that it has seen for constant across an await. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function readPage(store: Store, scope: Scope, after: number): Promise<Page> {
  if ("prefix" in scope) return store.readPrefix(scope.prefix, { after, limit: FETCH });
  return store.readStream(scope.stream, { after, through: Infinity, types: undefined, limit: FETCH });
}
