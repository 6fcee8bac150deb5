import { setTimeout as sleep } from "node:timers/promises";
import { LeaseLostError } from "./errors.ts";
import type { Lease, LeaseOptions, LeaseTarget } from "./journal.ts";
import type { ProcessorStore } from "./store.ts";

/**
 * One holder per (stream, processor): asks the store for the lease, and again at short intervals while another holder
 * has it. `undefined` when it need not wait or a signal ended the wait.
 */
export async function acquireLease(
  store: ProcessorStore,
  target: LeaseTarget,
  { ttlMs, wait = true }: LeaseOptions,
  signal: AbortSignal,
): Promise<Lease | undefined> {
  const intervalMs = Math.min(Math.max(ttlMs / 4, 10), 500);
  while (!signal.aborted) {
    const fence = await store.acquireLease(target, ttlMs);
    if (fence !== undefined) return grant(store, target, fence, ttlMs);
    if (!wait) return undefined;
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

function grant(store: ProcessorStore, target: LeaseTarget, fence: number, ttlMs: number): Lease {
  const { stream, processor } = target;
  return {
    stream,
    processor,
    fence,
    async renew() {
      if (!(await store.renewLease(target, fence, ttlMs))) throw new LeaseLostError(target);
    },
    release: () => store.releaseLease(target, fence),
  };
}
