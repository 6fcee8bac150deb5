import { monotonicClock } from "@promptfold/journal";

/** Says what time it is and calls back at a time; tests pass their own. */
export interface Scheduler {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once at a time in milliseconds since the epoch, or at once when it has passed; returns how to cancel. */
  at(time: number, callback: () => void): () => void;
}

/** A timer cannot wait longer; a later time is waited for in several steps. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Keeps the time that journals stamp events with, so that due times and stamps agree; it ignores jumps of the wall clock. */
export const systemScheduler: Scheduler = {
  now: monotonicClock,
  at(time, callback) {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const left = Math.max(0, time - monotonicClock());
      timer = left > LONGEST_TIMEOUT_MS ? setTimeout(wait, LONGEST_TIMEOUT_MS) : setTimeout(callback, left);
    };
    wait();
    return () => {
      clearTimeout(timer);
    };
  },
};
