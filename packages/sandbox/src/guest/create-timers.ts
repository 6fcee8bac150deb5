import type { GuestBridge } from "./bridge.ts";
import { formatLogged } from "./describe-thrown.ts";

// Taken before any script runs, for a script may replace what is built in.
const { stringify } = JSON;

const MOST_TIMERS = 1000;

/** Makes `setTimeout` and `clearTimeout`; the worker keeps the time and calls `fire`. */
export function createTimers(bridge: GuestBridge): {
  start: (callback: unknown, milliseconds?: unknown, ...parameters: unknown[]) => number;
  stop: (timer: unknown) => void;
  fire: (timer: number) => void;
} {
  const waiting = new Map<number, () => unknown>();
  let last = 0;
  return {
    start(callback, milliseconds, ...parameters) {
      if (typeof callback !== "function")
        throw new TypeError("setTimeout: the first argument must be a function.");
      if (waiting.size >= MOST_TIMERS)
        throw new RangeError(`setTimeout: more than ${MOST_TIMERS} timers at once.`);
      const timer = ++last;
      waiting.set(timer, () => (callback as (...parameters: unknown[]) => unknown)(...parameters));
      bridge.startTimer(timer, Math.max(0, Number(milliseconds) || 0));
      return timer;
    },
    stop(timer) {
      if (typeof timer === "number" && waiting.delete(timer)) bridge.stopTimer(timer);
    },
    fire(timer) {
      const callback = waiting.get(timer);
      waiting.delete(timer);
      try {
        callback?.();
      } catch (thrown) {
        bridge.log(
          "error",
          stringify(`Uncaught in setTimeout: ${formatLogged(thrown, 1000)}`.slice(0, 1000)),
        );
      }
    },
  };
}
