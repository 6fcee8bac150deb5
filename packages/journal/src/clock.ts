/** Milliseconds since 1970-01-01 UTC; fractions are allowed. */
export type Clock = () => number;

/** A time as ISO 8601 UTC text with whole milliseconds, as events carry it. */
export function timeText(milliseconds: number): string {
  return new Date(Math.floor(milliseconds)).toISOString();
}

/**
 * The default clock: the wall clock's time when the process began plus the time that has passed since, so it never goes
 * back and does not follow corrections of the wall clock.
 */
export const monotonicClock: Clock = () => origin + performance.now();

/** Read once: asking for it costs more than asking for the time. */
const origin = performance.timeOrigin;

/**
 * Milliseconds since the machine started: the same for all its processes and deaf to the wall clock, so what one
 * process promises with it another one can judge.
 */
export const uptimeClock: Clock = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
