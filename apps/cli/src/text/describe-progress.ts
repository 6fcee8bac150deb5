import type { JsonlProgress } from "@promptfold/journal";
import { formatCount } from "./format-count.ts";

/**
 * How far events have come, for a progress line.
 *
 * @param done - what was done to them
 * @param size - how many bytes there are, when it is known
 */
export function describeProgress({ events, bytes }: JsonlProgress, done: string, size?: number): string {
  const megabytes = (count: number): string => (count / 1_000_000).toFixed(1);
  const all =
    size === undefined || size === 0
      ? ""
      : ` of ${megabytes(size)} MB (${Math.floor((100 * bytes) / size)} %)`;
  return `${formatCount(events, "event")} ${done}, ${megabytes(bytes)}${all === "" ? " MB" : all}`;
}
