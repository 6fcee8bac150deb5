import { JournalClosedError } from "./errors.ts";
import type { EventStore, ProcessorStore, Store } from "./store.ts";

/**
 * The store as a journal uses it, so that closing means the same on every store: a call that begins after `closing` aborted
 * fails with `JournalClosedError` and never reaches the store; `close` waits for the calls that began before.
 */
export function guardStore({ events, processors, close }: Store, closing: AbortSignal): Store {
  let running = 0;
  let whenIdle = (): void => undefined;

  function guarded<Arguments extends unknown[], Result>(
    call: (...values: Arguments) => Promise<Result>,
  ): (...values: Arguments) => Promise<Result> {
    return async (...values) => {
      if (closing.aborted) throw new JournalClosedError();
      running += 1;
      try {
        return await call(...values);
      } finally {
        running -= 1;
        if (running === 0) whenIdle();
      }
    };
  }

  return {
    events: guardEvents(events, guarded),
    processors: guardProcessors(processors, guarded),
    async close() {
      if (running > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
      await close();
    },
  };
}

type Guard = <Arguments extends unknown[], Result>(
  call: (...values: Arguments) => Promise<Result>,
) => (...values: Arguments) => Promise<Result>;

function guardEvents(events: EventStore, guarded: Guard): EventStore {
  return {
    inCommitOrder: events.inCommitOrder ?? false,
    append: guarded((request) => events.append(request)),
    restore: guarded((stream, restored, after) => events.restore(stream, restored, after)),
    readStream: guarded((stream, request) => events.readStream(stream, request)),
    readPrefix: guarded((prefix, request) => events.readPrefix(prefix, request)),
    head: guarded((stream) => events.head(stream)),
    streamNames: guarded((prefix, after, limit) => events.streamNames(prefix, after, limit)),
    watch: (scope, wake) => events.watch(scope, wake),
    integrity: guarded(() => events.integrity()),
  };
}

function guardProcessors(processors: ProcessorStore, guarded: Guard): ProcessorStore {
  return {
    freeLeases: guarded((targets) => processors.freeLeases(targets)),
    acquireLease: guarded((target, ttlMs) => processors.acquireLease(target, ttlMs)),
    renewLease: guarded((target, fence, ttlMs) => processors.renewLease(target, fence, ttlMs)),
    releaseLease: guarded((target, fence) => processors.releaseLease(target, fence)),
    loadCheckpoint: guarded((processor, scope) => processors.loadCheckpoint(processor, scope)),
    saveCheckpoint: guarded((processor, scope, cursor) =>
      processors.saveCheckpoint(processor, scope, cursor),
    ),
    saveSnapshot: guarded((key, snapshot) => processors.saveSnapshot(key, snapshot)),
    loadSnapshot: guarded((key, through) => processors.loadSnapshot(key, through)),
    clearSnapshots: guarded((stream) => processors.clearSnapshots(stream)),
  };
}
