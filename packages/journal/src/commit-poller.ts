import type { Watchers } from "./watchers.ts";

/** What the poller asks the database. */
export interface CommitSource {
  /** A number that changes when another connection has committed. */
  version(): number;
  lastPosition(): number;
  /** The streams of the events after a position, one entry an event, at most `limit`. */
  streamsAfter(
    position: number,
    limit: number,
  ): readonly { readonly position: number; readonly name: string }[];
}

const LOOK = 500;

/**
 * Notices what other processes commit, by polling a number that costs microseconds, and wakes whom it concerns. It runs
 * only while somebody watches.
 */
export class CommitPoller {
  readonly #source: CommitSource;
  readonly #watchers: Watchers;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #version: number | undefined;
  #position = 0;

  constructor(source: CommitSource, watchers: Watchers, intervalMs: number) {
    this.#source = source;
    this.#watchers = watchers;
    this.#intervalMs = intervalMs;
  }

  /** Call after somebody began to watch and before they read. */
  start(): void {
    if (this.#timer !== undefined) return;
    // The first look wakes everybody: what was committed while nobody polled is not known.
    this.#version = undefined;
    this.#schedule();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#watchers.size === 0) return;
      this.#look();
      this.#schedule();
    }, this.#intervalMs);
  }

  #look(): void {
    try {
      const version = this.#source.version();
      if (version === this.#version) return;
      const first = this.#version === undefined;
      const events = first ? [] : this.#source.streamsAfter(this.#position, LOOK);
      const far = first || events.length === LOOK;
      this.#position = far ? this.#source.lastPosition() : (events.at(-1)?.position ?? this.#position);
      // Only now: when a question above failed, the next look asks again.
      this.#version = version;
      if (far) this.#watchers.wakeAll();
      else for (const name of new Set(events.map((event) => event.name))) this.#watchers.wake(name);
    } catch {
      // Those who wake read for themselves, and so meet the error if it lasts.
      this.#watchers.wakeAll();
    }
  }
}
