import type { Scheduler } from "../src/index.ts";

/** Its time stands still until a test moves it. */
export class ManualScheduler implements Scheduler {
  #now = Date.parse("2026-03-02T09:00:00.000Z");
  readonly #timers = new Set<{ readonly time: number; readonly callback: () => void }>();

  readonly now = (): number => this.#now;

  at(time: number, callback: () => void): () => void {
    const timer = { time, callback };
    this.#timers.add(timer);
    if (time <= this.#now)
      setImmediate(() => {
        this.#fire(timer);
      });
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Moves on and calls back whatever has become due. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of [...this.#timers].filter(({ time }) => time <= this.#now)) this.#fire(timer);
  }

  #fire(timer: { readonly callback: () => void }): void {
    if (this.#timers.delete(timer as never)) timer.callback();
  }
}
