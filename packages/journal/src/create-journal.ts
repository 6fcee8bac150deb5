import { InvalidOptionError, JournalClosedError } from "./errors.ts";
import type {
  AppendOptions,
  CommittedEvent,
  Journal,
  JournalHandle,
  JournalReader,
  NewEvent,
  ReadOptions,
  Scope,
  Source,
} from "./journal.ts";
import { checkName, checkPrefix, checkStreamName } from "./names.ts";
import { checkInteger } from "./check-integer.ts";
import { guardStore } from "./guard-store.ts";
import { LeaseDesk } from "./lease-desk.ts";
import { prepareEvents } from "./prepare-events.ts";
import { prepareRestored } from "./prepare-restored.ts";
import type { EventStore, ProcessorStore, Store } from "./store.ts";
import { verifyStore } from "./verify-store.ts";
import { Subscription } from "./subscription.ts";

const STREAM_NAMES_PAGE = 1_000;

/** Builds the journal on a store: validates arguments, keeps what is alike on every store in one place. */
export function createJournal(unguarded: Store): Journal {
  const closing = new AbortController();
  const store = guardStore(unguarded, closing.signal);
  const { events, processors } = store;
  let closed: Promise<void> | undefined;
  const requireOpen = (): void => {
    if (closing.signal.aborted) throw new JournalClosedError();
  };
  const reader = createReader(events, unguarded.events, closing.signal, requireOpen);
  const leases = new LeaseDesk(processors);
  return {
    ...reader,
    as: (source) => createHandle(events, reader, source, requireOpen),
    async lease(target, options) {
      requireOpen();
      checkStreamName(target.stream);
      checkName(target.processor, "processor's name");
      checkInteger(options.ttlMs, "ttlMs", 10, 86_400_000);
      const own = { stream: target.stream, processor: target.processor };
      const signals = options.signal === undefined ? [] : [options.signal];
      return leases.acquire(own, options, AbortSignal.any([closing.signal, ...signals]));
    },
    checkpoints: {
      async load(processor, scope) {
        requireOpen();
        checkName(processor, "processor's name");
        return processors.loadCheckpoint(processor, scopeText(scope));
      },
      async save(processor, scope, cursor) {
        requireOpen();
        checkName(processor, "processor's name");
        checkInteger(cursor, "cursor", 0);
        return processors.saveCheckpoint(processor, scopeText(scope), cursor);
      },
      async reset(processor, scope) {
        requireOpen();
        checkName(processor, "processor's name");
        return processors.saveCheckpoint(processor, scopeText(scope), undefined);
      },
    },
    snapshots: createSnapshots(processors, requireOpen),
    async restore(stream, restored, { after }) {
      requireOpen();
      checkStreamName(stream);
      checkInteger(after, "after", 0);
      if (restored.length > 0) await events.restore(stream, prepareRestored(stream, restored, after), after);
    },
    async verify(options = {}) {
      requireOpen();
      return verifyStore(store, options);
    },
    close() {
      closing.abort();
      return (closed ??= store.close());
    },
  };
}

/** Subscriptions read from `unguarded`: closing cuts them off, so it does not wait for what they read. */
function createReader(
  store: EventStore,
  unguarded: EventStore,
  closing: AbortSignal,
  requireOpen: () => void,
): JournalReader {
  return {
    read(stream, options) {
      checkStreamName(stream);
      return readPages(store, stream, options, requireOpen);
    },
    async head(stream) {
      requireOpen();
      checkStreamName(stream);
      return store.head(stream);
    },
    async *streams({ prefix = "" } = {}) {
      checkPrefix(prefix);
      let after = "";
      for (;;) {
        requireOpen();
        const names = await store.streamNames(prefix, after, STREAM_NAMES_PAGE);
        yield* names;
        if (names.length < STREAM_NAMES_PAGE) return;
        after = names.at(-1) as string;
      }
    },
    subscribe(scope, { after = 0, signal } = {}) {
      requireOpen();
      checkScope(scope);
      checkInteger(after, "after", 0);
      return new Subscription(unguarded, scope, after, signal === undefined ? [closing] : [closing, signal]);
    },
  };
}

function createHandle(
  store: EventStore,
  reader: JournalReader,
  given: Source,
  requireOpen: () => void,
): JournalHandle {
  checkName(given.processor, "processor's name");
  if ((given.trust as unknown) !== "inside" && (given.trust as unknown) !== "outside") {
    throw new InvalidOptionError(`source.trust is ${JSON.stringify(given.trust)}; use "inside" or "outside"`);
  }
  // A copy that nobody else can change: what an append carries is decided here.
  const source: Source = Object.freeze({ processor: given.processor, trust: given.trust });
  return {
    ...reader,
    source,
    async append(stream: string, events: readonly NewEvent[], options: AppendOptions = {}) {
      requireOpen();
      checkStreamName(stream);
      const prepared = prepareEvents(stream, events, source.trust);
      const { expectedOffset, lease } = options;
      if (expectedOffset !== undefined) checkInteger(expectedOffset, "expectedOffset", 0);
      if (prepared.length === 0) return [];
      return store.append({
        stream,
        events: prepared,
        source,
        expectedOffset,
        lease: lease && { stream: lease.stream, processor: lease.processor, fence: lease.fence },
      });
    },
  };
}

async function* readPages(
  store: EventStore,
  stream: string,
  { after = 0, through, types, pageSize = 500 }: ReadOptions = {},
  requireOpen: () => void,
): AsyncGenerator<readonly CommittedEvent[], void, void> {
  checkInteger(after, "after", 0);
  if (through !== undefined) checkInteger(through, "through", 0);
  checkInteger(pageSize, "pageSize", 1, 10_000);
  const wanted = types === undefined ? undefined : [...types];
  let cursor = after;
  for (;;) {
    requireOpen();
    const request = { after: cursor, through: through ?? Infinity, types: wanted, limit: pageSize };
    const page = await store.readStream(stream, request);
    if (page.events.length > 0) yield page.events;
    if (!page.more) return;
    cursor = page.next;
  }
}

function createSnapshots(processors: ProcessorStore, requireOpen: () => void): Journal["snapshots"] {
  return {
    async save(key, snapshot) {
      requireOpen();
      checkSnapshotKey(key);
      checkInteger(snapshot.offset, "the snapshot's offset", 0);
      checkState(snapshot.state);
      return processors.saveSnapshot(key, { offset: snapshot.offset, state: snapshot.state });
    },
    async load(key, { through = Number.MAX_SAFE_INTEGER } = {}) {
      requireOpen();
      checkSnapshotKey(key);
      checkInteger(through, "through", 0);
      return processors.loadSnapshot(key, through);
    },
    async clear(stream) {
      requireOpen();
      checkStreamName(stream);
      return processors.clearSnapshots(stream);
    },
  };
}

function checkSnapshotKey(key: { stream: string; foldVersion: string; contractVersion: string }): void {
  checkStreamName(key.stream);
  checkName(key.foldVersion, "fold version");
  checkName(key.contractVersion, "contract version");
}

/** Throws `InvalidOptionError` unless every store gives the state back as it is. */
function checkState(state: unknown): void {
  if (typeof state !== "string") {
    throw new InvalidOptionError("the snapshot's state is not a string; pass it as text, such as JSON");
  }
  if (/[\0\p{Surrogate}]/u.test(state)) {
    throw new InvalidOptionError(
      "the snapshot's state holds U+0000 or half a surrogate pair, which not every store can hold; write it as JSON, with escapes",
    );
  }
}

function checkScope(scope: Scope): void {
  if ("prefix" in scope) checkPrefix(scope.prefix);
  else checkStreamName(scope.stream);
}

function scopeText(scope: Scope): string {
  checkScope(scope);
  return "prefix" in scope ? `prefix:${scope.prefix}` : `stream:${scope.stream}`;
}
