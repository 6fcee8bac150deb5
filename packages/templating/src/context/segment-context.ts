import { InvalidVariableError } from "../errors.ts";
import { requireDate } from "./day-context.ts";
import { formatTime, toInstant, toWallTime } from "./local-time.ts";

/** Variables of a segment, a stretch of a day. */
export interface SegmentContext {
  /** `143022_300`: start time and seconds */
  readonly segment: string;
  /** `2:30 PM` */
  readonly segment_start: string;
  /** `2:35 PM` */
  readonly segment_end: string;
}

/**
 * The context of a segment. Its end is as many seconds later as really pass: on a day on which clocks are set forward or
 * back, the wall clock shows another difference.
 *
 * @param segment - `143022_300`
 * @param on - the day it starts on (`20260124`) and the IANA time zone of its start time
 * @throws InvalidVariableError
 */
export function segmentContext(
  segment: string,
  on: { readonly day: string; readonly timeZone: string },
): SegmentContext {
  const { hour, minute, second, seconds } = readSegment(segment);
  const start = toInstant({ ...requireDate(on.day), hour, minute, second }, on.timeZone);
  return {
    segment,
    segment_start: formatTime({ hour, minute }),
    segment_end: formatTime(toWallTime(start + seconds * 1000, on.timeZone)),
  };
}

/** A segment's parts, or the error that says what a segment looks like. */
export function readSegment(segment: string): {
  hour: number;
  minute: number;
  second: number;
  seconds: number;
} {
  const match = /^(\d{2})(\d{2})(\d{2})_(\d{1,7})$/.exec(segment);
  const [hour = 0, minute = 0, second = 0, seconds = 0] = (match ?? []).slice(1).map(Number);
  if (match !== null && hour < 24 && minute < 60 && second < 60) return { hour, minute, second, seconds };
  const message = `${JSON.stringify(segment)} is not a segment; write its start time and seconds as 143022_300`;
  throw new InvalidVariableError([{ name: "segment", code: "unusable-value", message }]);
}
