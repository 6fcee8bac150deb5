import type { CommittedEvent, Scope } from "./journal.ts";
import type { Page, EventStore } from "./store.ts";

/** Events a subscription fetches at a time: enough to be fast, few enough to bound memory. */
const FETCH = 256;

/**
 * Follows a scope: reads pages until it has caught up, then waits for a commit. The watch is set before the first read,
 * and a commit that arrives during a read is remembered, so none is missed; the cursor keeps one from being repeated.
 */
export class Subscription implements AsyncIterableIterator<CommittedEvent, undefined> {
  readonly #events: AsyncGenerator<CommittedEvent, undefined, void>;
  readonly #stop: () => void;

  constructor(store: EventStore, scope: Scope, after: number, signals: readonly AbortSignal[]) {
    const controller = new AbortController();
    this.#stop = () => {
      controller.abort();
    };
    this.#events = follow(store, scope, after, AbortSignal.any([...signals, controller.signal]));
  }

  next(): Promise<IteratorResult<CommittedEvent, undefined>> {
    return this.#events.next();
  }

  /** Ends the subscription also while a `next` is waiting, which a bare generator would not do. */
  return(): Promise<IteratorResult<CommittedEvent, undefined>> {
    this.#stop();
    return this.#events.return(undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

async function* follow(
  store: EventStore,
  scope: Scope,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<CommittedEvent, undefined, void> {
  if (isAborted(signal)) return undefined;
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
      const page = await readPage(store, scope, cursor).catch((error: unknown) => {
        // A read that closing or aborting cut off is no failure.
        if (isAborted(signal)) return undefined;
        throw error;
      });
      if (page === undefined) return undefined;
      for (const event of page.events) {
        if (isAborted(signal)) return undefined;
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
  return undefined;
}

/** Asked through a function, because the compiler takes a property that it has seen for constant across an await. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function readPage(store: EventStore, scope: Scope, after: number): Promise<Page> {
  if ("prefix" in scope) return store.readPrefix(scope.prefix, { after, limit: FETCH });
  return store.readStream(scope.stream, { after, through: Infinity, types: undefined, limit: FETCH });
}
