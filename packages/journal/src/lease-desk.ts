import { LeaseLostError } from "./errors.ts";
import type { Lease, LeaseOptions, LeaseTarget } from "./journal.ts";
import type { ProcessorStore } from "./store.ts";

/** Somebody who waits for a lease that another holder has. */
interface Waiter {
  readonly target: LeaseTarget;
  /** Called when the lease may be free, or when waiting is over. */
  readonly look: () => void;
}

/**
 * Grants leases: one holder per (stream, processor). Whoever has to wait is told when a lease may be free; all who wait in
 * one process share one look at the store, so that a thousand of them cost no more than one.
 */
export class LeaseDesk {
  readonly #store: ProcessorStore;
  /** Those who wait, by how often to look for them, in milliseconds. */
  readonly #waiting = new Map<number, Set<Waiter>>();

  constructor(store: ProcessorStore) {
    this.#store = store;
  }

  /**
   * Asks the store for the lease, and again whenever it may be free. `undefined` when the caller need not wait or the
   * signal ended the wait.
   */
  async acquire(
    target: LeaseTarget,
    { ttlMs, wait = true }: LeaseOptions,
    signal: AbortSignal,
  ): Promise<Lease | undefined> {
    const intervalMs = Math.min(Math.max(Math.floor(ttlMs / 4), 10), 500);
    while (!signal.aborted) {
      const fence = await this.#store.acquireLease(target, ttlMs);
      if (fence !== undefined) return this.#grant(target, fence, ttlMs);
      if (!wait) return undefined;
      await this.#mayBeFree(target, intervalMs, signal);
    }
    return undefined;
  }

  #grant(target: LeaseTarget, fence: number, ttlMs: number): Lease {
    const { stream, processor } = target;
    const store = this.#store;
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

  async #mayBeFree(target: LeaseTarget, intervalMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const waiters = this.#waiting.get(intervalMs) ?? new Set<Waiter>();
    let stopWaiting = (): void => undefined;
    await new Promise<void>((resolve) => {
      const waiter = { target, look: resolve };
      stopWaiting = () => {
        waiters.delete(waiter);
        resolve();
      };
      signal.addEventListener("abort", stopWaiting, { once: true });
      waiters.add(waiter);
      if (this.#waiting.has(intervalMs)) return;
      this.#waiting.set(intervalMs, waiters);
      this.#lookLater(intervalMs, waiters);
    });
    signal.removeEventListener("abort", stopWaiting);
  }

  #lookLater(intervalMs: number, waiters: Set<Waiter>): void {
    setTimeout(() => {
      void this.#look(waiters).then(() => {
        if (waiters.size > 0) this.#lookLater(intervalMs, waiters);
        else this.#waiting.delete(intervalMs);
      });
    }, intervalMs);
  }

  async #look(waiters: Set<Waiter>): Promise<void> {
    const asked = [...waiters];
    if (asked.length === 0) return;
    // Should the store fail, those who wait ask for themselves and so meet the error.
    const free = await this.#store.freeLeases(asked.map(({ target }) => target)).catch(() => undefined);
    for (const [index, waiter] of asked.entries()) {
      if (free !== undefined && free[index] !== true) continue;
      waiters.delete(waiter);
      waiter.look();
    }
  }
}
