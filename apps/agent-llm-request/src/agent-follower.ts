import { parseEvent } from "@promptfold/contract";
import { type AgentState, foldEvent, initialState } from "@promptfold/fold";
import {
  type AppendOptions,
  AppendOutcomeUnknownError,
  type CommittedEvent,
  IdempotencyConflictError,
  type Journal,
  type JournalHandle,
  JournalStorageError,
  type Lease,
  LeaseLostError,
  type NewEvent,
} from "@promptfold/journal";
import type { AgentHandler, FollowedAgent } from "./agent-handler.ts";
import type { Clock } from "./clock.ts";

/** How long to wait before the journal is tried again. */
const RETRY_MS = 1_000;

/** What every follower of one processor shares. */
export interface FollowerContext {
  readonly journal: Journal;
  readonly processor: string;
  readonly inside: JournalHandle;
  readonly outside: JournalHandle;
  readonly clock: Clock;
  /** How long a holder may be silent before another process takes its agent over, in milliseconds. */
  readonly leaseTtlMs: number;
  readonly signal: AbortSignal;
  /** Told when an agent may have become busy or idle, and when its work failed for good. */
  onChange(agent: AgentFollower): void;
  onFailure(error: unknown): void;
}

/** Follows one agent: folds its events and lets the handler work, one run at a time, under a lease. */
export class AgentFollower implements FollowedAgent {
  readonly stream: string;
  state: AgentState = initialState;
  offset = 0;
  /** Position of the event since which this agent has been busy; undefined while it is idle. */
  busySince: number | undefined;
  readonly #context: FollowerContext;
  readonly #handler: AgentHandler;
  #isLoaded = false;
  #isWorking = false;
  /** Events folded so far, to notice those that arrive while the handler works. */
  #foldCount = 0;
  #workedThrough = 0;
  #lease: HeldLease | undefined;
  #cancelTimer: (() => void) | undefined;
  readonly #waiters = new Set<Waiter>();

  constructor(stream: string, handler: AgentHandler, context: FollowerContext) {
    this.stream = stream;
    this.#handler = handler;
    this.#context = context;
  }

  /** Whether nothing is left to do for it, so that it may be forgotten. */
  get isIdle(): boolean {
    return !this.#isWorking && this.busySince === undefined;
  }

  get signal(): AbortSignal {
    return this.#lease?.signal ?? this.#context.signal;
  }

  /** Takes in an event of the tail. The first one loads the whole stream, so that the handler never acts on the past. */
  async receive(event: CommittedEvent): Promise<void> {
    if (!this.#isLoaded) {
      for await (const page of this.#context.journal.read(this.stream))
        for (const each of page) this.#fold(each);
      this.#isLoaded = true;
    }
    this.#fold(event);
    if (this.#handler.isBusy(this.state)) this.busySince ??= event.position;
    this.#context.onChange(this);
    this.#wake();
  }

  async append(
    events: readonly NewEvent[],
    { expectedOffset, outside = false }: { expectedOffset?: number; outside?: boolean } = {},
  ): Promise<readonly CommittedEvent[]> {
    const lease = this.#lease?.lease;
    const options: AppendOptions = {
      ...(lease === undefined ? {} : { lease }),
      ...(expectedOffset === undefined ? {} : { expectedOffset }),
    };
    try {
      const handle = outside ? this.#context.outside : this.#context.inside;
      const committed = await handle.append(this.stream, events, options);
      await this.#seen(committed.at(-1)?.offset ?? 0);
      return committed;
    } catch (error) {
      if (!IdempotencyConflictError.isInstance(error) || error.committedOffset === undefined) throw error;
      await this.#seen(error.committedOffset);
      return [];
    }
  }

  #fold(stored: CommittedEvent): void {
    if (stored.offset <= this.offset) return;
    this.offset = stored.offset;
    this.#foldCount++;
    const parsed = parseEvent(stored);
    if (parsed.kind === "known") {
      const before = this.state;
      this.state = foldEvent(before, parsed.event);
      this.#handler.observe({ event: parsed.event, before, after: this.state });
    }
    for (const waiter of this.#waiters) {
      if (waiter.offset > this.offset) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  #hasNews(): boolean {
    return this.#foldCount > this.#workedThrough;
  }

  /** Waits until an offset is folded. */
  async #seen(offset: number): Promise<void> {
    if (offset <= this.offset) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiters.add({ offset, resolve, reject });
      if (this.#context.signal.aborted) this.#rejectWaiters();
    });
  }

  #wake(): void {
    if (this.#isWorking || this.#context.signal.aborted || !this.#handler.isBusy(this.state)) return;
    this.#isWorking = true;
    void this.#workWhileNeeded().then(() => {
      this.#isWorking = false;
      this.#context.onChange(this);
      // What arrived since the last look must not wait for the next event.
      if (this.#hasNews() && this.#handler.isBusy(this.state)) this.#wake();
    });
  }

  async #workWhileNeeded(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    try {
      let due: number | undefined;
      while (this.#handler.isBusy(this.state) && (await this.#hold())) {
        this.#workedThrough = this.#foldCount;
        due = await this.#handler.work(this);
        if (!this.#hasNews()) break;
      }
      const isBusy = this.#handler.isBusy(this.state);
      if (!isBusy) this.busySince = undefined;
      if (isBusy && due !== undefined) this.#wakeAt(due);
      else if (!isBusy) await this.#release();
    } catch (error) {
      this.#recover(error);
    }
  }

  /** Makes sure that this process holds the agent; false when it was told to stop. */
  async #hold(): Promise<boolean> {
    const { journal, processor, leaseTtlMs, signal } = this.#context;
    if (signal.aborted) return false;
    if (this.#lease !== undefined) return true;
    const target = { stream: this.stream, processor };
    const lease = await journal.lease(target, { ttlMs: leaseTtlMs, signal });
    if (lease === undefined) return false;
    this.#lease = new HeldLease(lease, this.#context);
    return true;
  }

  async #release(): Promise<void> {
    const held = this.#lease;
    this.#lease = undefined;
    await held?.release();
  }

  #wakeAt(time: number): void {
    this.#cancelTimer = this.#context.clock.at(time, () => {
      this.#wake();
    });
  }

  #recover(error: unknown): void {
    const { clock, signal, onFailure } = this.#context;
    if (signal.aborted || error instanceof FollowerStoppedError) return;
    const isPassing =
      LeaseLostError.isInstance(error) ||
      AppendOutcomeUnknownError.isInstance(error) ||
      (JournalStorageError.isInstance(error) && (error.reason === "busy" || error.reason === "unreachable"));
    if (!isPassing) {
      onFailure(error);
      return;
    }
    // Everything appended carries its key, so doing the same again after a pause is harmless.
    if (LeaseLostError.isInstance(error)) this.#lease = undefined;
    this.#wakeAt(clock.now() + RETRY_MS);
  }

  /** Gives up the timer, the waits and the lease. */
  async stop(): Promise<void> {
    this.#cancelTimer?.();
    this.#rejectWaiters();
    await this.#release();
  }

  #rejectWaiters(): void {
    for (const { reject } of this.#waiters) reject(new FollowerStoppedError());
    this.#waiters.clear();
  }
}

/** Somebody who waits until an offset is folded. */
interface Waiter {
  readonly offset: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** A lease that is kept alive while it is held, with a signal that aborts when it is lost. */
class HeldLease {
  readonly lease: Lease;
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #renewalMs: number;
  readonly #lost = new AbortController();
  #cancelRenewal: () => void = () => undefined;

  constructor(lease: Lease, { clock, leaseTtlMs, signal }: FollowerContext) {
    this.lease = lease;
    this.#clock = clock;
    // Often enough that one renewal may come late.
    this.#renewalMs = leaseTtlMs / 3;
    this.signal = AbortSignal.any([signal, this.#lost.signal]);
    this.#renewLater();
  }

  async release(): Promise<void> {
    this.#cancelRenewal();
    await this.lease.release();
  }

  #renewLater(): void {
    this.#cancelRenewal = this.#clock.at(this.#clock.now() + this.#renewalMs, () => {
      this.lease.renew().then(
        () => {
          if (!this.signal.aborted) this.#renewLater();
        },
        () => {
          this.#lost.abort(new LeaseLostError(this.lease));
        },
      );
    });
  }
}

/** Ends a wait because its follower was told to stop. */
class FollowerStoppedError extends Error {}
