import { InvalidDurationError } from "./invalid-duration-error.ts";

/**
 * Writes a duration in milliseconds the way messages show it: `850ms` below one second, `1.8s` or `90s` below two
 * minutes, then `3m` or `2m 5s`, rounded before it is split. A negative duration reads as `0ms`.
 *
 * @throws InvalidDurationError when `milliseconds` is not a finite number.
 */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) throw new InvalidDurationError(milliseconds);
  const whole = Math.max(0, Math.round(milliseconds));
  if (whole < 1_000) return `${whole}ms`;
  if (whole < 120_000) return `${Math.round(whole / 100) / 10}s`;
  const seconds = Math.round(whole / 1_000);
  const rest = seconds % 60;
  const minutes = (seconds - rest) / 60;
  return rest === 0 ? `${minutes}m` : `${minutes}m ${rest}s`;
}
