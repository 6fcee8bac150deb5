import type { Scope } from "./journal.ts";

/** Who waits for commits in one process, found by stream name without asking everybody. */
export class Watchers {
  readonly #byStream = new Map<string, Set<() => void>>();
  readonly #byPrefix = new Map<() => void, string>();

  get size(): number {
    return this.#byStream.size + this.#byPrefix.size;
  }

  /** Registers a callback for commits in the scope; the result removes it. */
  add(scope: Scope, wake: () => void): () => void {
    // A callback of its own, so that registering one function twice keeps both.
    const callback = (): void => {
      wake();
    };
    if ("prefix" in scope) {
      this.#byPrefix.set(callback, scope.prefix);
      return () => this.#byPrefix.delete(callback);
    }
    const { stream } = scope;
    const set = this.#byStream.get(stream) ?? new Set();
    this.#byStream.set(stream, set.add(callback));
    return () => {
      set.delete(callback);
      if (set.size === 0 && this.#byStream.get(stream) === set) this.#byStream.delete(stream);
    };
  }

  /** Wakes those who follow the stream. */
  wake(stream: string): void {
    for (const callback of this.#byStream.get(stream) ?? []) callback();
    for (const [callback, prefix] of this.#byPrefix) if (stream.startsWith(prefix)) callback();
  }

  /** Wakes everybody. */
  wakeAll(): void {
    for (const set of this.#byStream.values()) for (const callback of set) callback();
    for (const callback of this.#byPrefix.keys()) callback();
  }
}
