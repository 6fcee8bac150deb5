import { type Lease, LeaseLostError } from "@promptfold/journal";
import type { Scheduler } from "./scheduler.ts";

/** A lease that is kept alive while it is held, with a signal that aborts when it is lost. */
export class HeldLease {
  readonly lease: Lease;
  /** Aborts when the lease is lost or the follower stops. */
  readonly signal: AbortSignal;
  readonly #scheduler: Scheduler;
  readonly #renewalMs: number;
  readonly #lost = new AbortController();
  #isReleased = false;
  #cancelRenewal: () => void = () => undefined;

  constructor(
    lease: Lease,
    { scheduler, leaseTtlMs, signal }: { scheduler: Scheduler; leaseTtlMs: number; signal: AbortSignal },
  ) {
    this.lease = lease;
    this.#scheduler = scheduler;
    // Often enough that one renewal may fail or come late.
    this.#renewalMs = leaseTtlMs / 3;
    this.signal = AbortSignal.any([signal, this.#lost.signal]);
    this.#renewAfter(this.#renewalMs);
  }

  /** Whether another process has taken over. */
  get isLost(): boolean {
    return this.#lost.signal.aborted;
  }

  /** Extends the lease from now. @throws LeaseLostError when another process has taken over. */
  async renew(): Promise<void> {
    try {
      await this.lease.renew();
    } catch (error) {
      if (LeaseLostError.isInstance(error)) this.#lost.abort(error);
      throw error;
    }
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    this.#cancelRenewal();
    await this.lease.release();
  }

  #renewAfter(delay: number): void {
    this.#cancelRenewal = this.#scheduler.at(this.#scheduler.now() + delay, () => {
      this.renew().then(
        () => {
          this.#goOn(this.#renewalMs);
        },
        () => {
          // A store that was busy for a moment has not taken the lease away.
          this.#goOn(this.#renewalMs / 3);
        },
      );
    });
  }

  #goOn(delay: number): void {
    if (!this.#isReleased && !this.signal.aborted) this.#renewAfter(delay);
  }
}
