import { setTimeout as sleep } from "node:timers/promises";
import { PromptfoldError } from "@promptfold/contract";
import { AppendOutcomeUnknownError } from "./errors.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";
import { isBusy, storageError } from "./sqlite-errors.ts";

/** How long one transaction goes on taking in writes that wait, in milliseconds: other processes want the lock too. */
const GROUP_MS = 10;

interface Write {
  readonly work: () => unknown;
  /** The stream, when the write is an append. */
  readonly appendingTo: string | undefined;
  /** When to give up, by `performance.now`; set when another connection is in the way. */
  deadline: number | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * The writes of one connection. They run one after another in call order, each seeing what came before; those that wait
 * together share one transaction and one synchronisation of the disk, and are told when it is durable. Each has its own
 * outcome: a typed error, which work throws before it writes anything, is that write's alone. When the shared transaction
 * fails, it is rolled back and its writes run again, each in a transaction of its own.
 */
export class SqliteWrites {
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  readonly #database: SqliteDatabase;
  #waiting: Write[] = [];
  /** How many of the next writes run alone. */
  #alone = 0;
  #running: Promise<void> | undefined;

  constructor(path: string, busyTimeoutMs: number, database: SqliteDatabase) {
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#database = database;
  }

  /** Runs the work in a transaction and resolves once that is durable. Work may run more than once. */
  add<Result>(work: () => Result, appendingTo: string | undefined): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ work, appendingTo, deadline: undefined, resolve, reject });
      this.#running ??= this.#run();
    }) as Promise<Result>;
  }

  /** Resolves when every write that was called has its outcome. */
  async done(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // What is called in the same turn goes together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      if (this.#runGroup()) continue;
      // Uneven waits, so that two processes do not keep meeting.
      await sleep(1 + Math.random() * 9);
    }
    this.#running = undefined;
  }

  /** One transaction. Returns false when another connection is in the way, so that trying again later makes sense. */
  #runGroup(): boolean {
    const outcomes: Outcome[] = [];
    let committing = false;
    try {
      // The write lock from the start: a transaction that reads first and then wants to write cannot wait for it.
      this.#database.exec("BEGIN IMMEDIATE");
      this.#work(outcomes);
      committing = true;
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
      return this.#fail(error, Math.max(1, outcomes.length + (committing ? 0 : 1)), committing);
    }
    this.#take(outcomes.length).forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index] as Outcome;
      if ("error" in outcome) reject(outcome.error);
      else resolve(outcome.value);
    });
    return true;
  }

  #work(outcomes: Outcome[]): void {
    outcomes.push(outcomeOf((this.#waiting[0] as Write).work));
    if (this.#alone > 0 || this.#waiting.length === 1) return;
    const end = performance.now() + GROUP_MS;
    while (outcomes.length < this.#waiting.length && performance.now() < end) {
      outcomes.push(outcomeOf((this.#waiting[outcomes.length] as Write).work));
    }
  }

  /** What follows when the transaction of the first `count` writes failed as a whole. */
  #fail(error: unknown, count: number, committing: boolean): boolean {
    if (isBusy(error)) {
      this.#rejectLate(storageError(error, this.#path));
      return false;
    }
    const typed = storageError(error, this.#path);
    // The log may hold the transaction whole, and a crash now would bring it back.
    const unknown = committing && (typed as { reason?: unknown }).reason === "failed";
    if (count > 1 && !unknown) {
      this.#alone = count;
      return true;
    }
    for (const { appendingTo, reject } of this.#take(count)) {
      if (unknown && appendingTo !== undefined)
        reject(new AppendOutcomeUnknownError(appendingTo, { cause: error }));
      else reject(typed);
    }
    return true;
  }

  /** Rejects what has waited for another connection long enough. */
  #rejectLate(error: unknown): void {
    const now = performance.now();
    const still: Write[] = [];
    for (const write of this.#waiting) {
      write.deadline ??= now + this.#busyTimeoutMs;
      if (write.deadline > now) still.push(write);
      else write.reject(error);
    }
    this.#waiting = still;
  }

  #take(count: number): Write[] {
    const taken = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#alone = Math.max(0, this.#alone - count);
    return taken;
  }
}

function outcomeOf(work: () => unknown): Outcome {
  try {
    return { value: work() };
  } catch (error) {
    if (PromptfoldError.isInstance(error)) return { error };
    throw error;
  }
}
