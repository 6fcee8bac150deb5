import { parseEvent } from "@promptfold/contract";
import { type AgentState, foldEvent, initialState } from "@promptfold/fold";
import {
  type AppendOptions,
  AppendOutcomeUnknownError,
  type CommittedEvent,
  IdempotencyConflictError,
  type Journal,
  JournalClosedError,
  type JournalHandle,
  JournalStorageError,
  LeaseLostError,
  type NewEvent,
  OffsetConflictError,
} from "@promptfold/journal";
import type { AgentHandler, FollowedAgent } from "./agent-handler.ts";
import type { Scheduler } from "./scheduler.ts";
import { HeldLease } from "./held-lease.ts";

/** How long to wait before work that came to nothing is tried again, doubling up to the longest. */
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** What every follower of one processor shares. */
export interface FollowerContext {
  readonly journal: Journal;
  readonly processor: string;
  readonly inside: JournalHandle;
  readonly outside: JournalHandle;
  readonly scheduler: Scheduler;
  /** How long a holder may be silent before another process takes its agent over, in milliseconds. */
  readonly leaseTtlMs: number;
  readonly signal: AbortSignal;
  /** Told when an agent became busy or idle. */
  onChange(agent: AgentFollower): void;
  /** Told of an error that concerns one agent, and whether its work stopped there and is tried again later. */
  onProblem(stream: string, error: unknown, isRetried: boolean): void;
  /** Told when the journal cannot be worked with any more. */
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
  /** Runs in a row that left work and changed nothing. */
  #fruitlessRuns = 0;
  #lease: HeldLease | undefined;
  /** Ends the wait for a lease, while there is one. */
  #stopWaiting: (() => void) | undefined;
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
    if (this.busySince === undefined && this.#handler.isBusy(this.state)) {
      this.busySince = event.position;
      this.#context.onChange(this);
    }
    this.#wake();
  }

  async assertHeld(): Promise<void> {
    await this.#lease?.renew();
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
      if (OffsetConflictError.isInstance(error)) await this.#seen(error.actualOffset);
      if (!IdempotencyConflictError.isInstance(error) || error.committedOffset === undefined) throw error;
      await this.#seen(error.committedOffset);
      return [];
    }
  }

  report(error: unknown): void {
    this.#context.onProblem(this.stream, error, false);
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
    // Another process did what there was to do: nobody needs to hold the agent for it.
    if (this.#stopWaiting !== undefined && !this.#handler.isBusy(this.state)) this.#stopWaiting();
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
    if (this.#isWorking || this.#context.signal.aborted) return;
    // One that waited for a time and has nothing to wait for any more, say because it was paused, still has to let go.
    if (this.busySince === undefined && !this.#handler.isBusy(this.state)) return;
    this.#isWorking = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    void this.#run();
  }

  async #run(): Promise<void> {
    let next: number | undefined;
    try {
      next = await this.#workWhileNeeded();
      if (!this.#handler.isBusy(this.state)) await this.#release();
    } catch (error) {
      next = this.#recover(error);
    }
    // Nothing is awaited from here on, so an event is either seen below or wakes the agent by itself.
    this.#isWorking = false;
    if (!this.#handler.isBusy(this.state)) {
      this.busySince = undefined;
      this.#context.onChange(this);
    } else if (this.#hasNews()) this.#wake();
    else if (next !== undefined) this.#wakeAt(next);
  }

  /** Lets the handler work until nothing is left to do now; gives the time at which to look again. */
  async #workWhileNeeded(): Promise<number | undefined> {
    while (this.#handler.isBusy(this.state) && (await this.#hold())) {
      this.#workedThrough = this.#foldCount;
      const due = await this.#handler.work(this);
      if (this.#hasNews()) this.#fruitlessRuns = 0;
      else if (due !== undefined) return due;
      // Work is left that came to nothing, say because the lease was lost in its middle.
      else if (this.#handler.isBusy(this.state)) return this.#retryTime();
    }
    return undefined;
  }

  /**
   * Makes sure that this process holds the agent and has seen all that was done for it; false when told to stop, or when
   * another process did meanwhile what there was to do.
   */
  async #hold(): Promise<boolean> {
    const { journal, processor, leaseTtlMs, signal } = this.#context;
    if (signal.aborted) return false;
    if (this.#lease !== undefined && !this.#lease.isLost) return true;
    this.#lease = undefined;
    const target = { stream: this.stream, processor };
    const waiting = new AbortController();
    this.#stopWaiting = () => {
      waiting.abort();
    };
    const options = { ttlMs: leaseTtlMs, signal: AbortSignal.any([signal, waiting.signal]) };
    const lease = await journal.lease(target, options).finally(() => (this.#stopWaiting = undefined));
    if (lease === undefined) return false;
    this.#lease = new HeldLease(lease, this.#context);
    await this.#seen(await journal.head(this.stream));
    return true;
  }

  async #release(): Promise<void> {
    const held = this.#lease;
    this.#lease = undefined;
    await held?.release();
  }

  #wakeAt(time: number): void {
    this.#cancelTimer = this.#context.scheduler.at(time, () => {
      this.#wake();
    });
  }

  #retryTime(): number {
    const delay = Math.min(RETRY_MS * 2 ** this.#fruitlessRuns++, LONGEST_RETRY_MS);
    return this.#context.scheduler.now() + delay;
  }

  /** Decides what an error means: the end of the follower, or another try of what this agent needs. */
  #recover(error: unknown): number | undefined {
    const { signal, onFailure, onProblem } = this.#context;
    if (signal.aborted || error instanceof FollowerStoppedError) return undefined;
    const isStorage = JournalStorageError.isInstance(error);
    const isPassing = isStorage && (error.reason === "busy" || error.reason === "unreachable");
    if (JournalClosedError.isInstance(error) || (isStorage && !isPassing)) {
      onFailure(error);
      return undefined;
    }
    // Everything appended carries its key, so doing the same again after a pause is harmless.
    const isExpected =
      isPassing || LeaseLostError.isInstance(error) || AppendOutcomeUnknownError.isInstance(error);
    if (!isExpected) onProblem(this.stream, error, true);
    return this.#retryTime();
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

/** Ends a wait because its follower was told to stop. */
class FollowerStoppedError extends Error {}
