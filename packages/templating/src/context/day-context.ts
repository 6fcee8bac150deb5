import { InvalidVariableError } from "../errors.ts";
import { type CalendarDate, formatDate, formatTime, readDate, toWallTime } from "./local-time.ts";

/** Variables of a day. */
export interface DayContext {
  /** `Friday, January 24, 2026` */
  readonly day: string;
  /** `20260124` */
  readonly day_YYYYMMDD: string;
}

/**
 * The context of a day.
 *
 * @param day - `20260124` or `2026-01-24`
 * @throws InvalidVariableError when there is no such day
 */
export function dayContext(day: string): DayContext {
  const date = requireDate(day);
  const digits = [String(date.year).padStart(4, "0"), twoDigits(date.month), twoDigits(date.day)];
  return { day: formatDate(date), day_YYYYMMDD: digits.join("") };
}

/**
 * The day `now` falls on in an IANA time zone.
 *
 * @param now - milliseconds since 1970 UTC or a Date; no clock is read
 * @throws InvalidVariableError for what is no time or no time zone
 */
export function todayContext(now: number | Date, timeZone: string): DayContext {
  const { year, month, day } = toWallTime(instantOf(now), timeZone);
  return dayContext(`${String(year).padStart(4, "0")}${twoDigits(month)}${twoDigits(day)}`);
}

/**
 * The current time as `Monday, February 3, 2025 at 10:30 AM PST`, in an IANA time zone. Outside North America the short
 * name of a zone is its distance from Greenwich (`GMT+1`).
 *
 * @param now - milliseconds since 1970 UTC or a Date; no clock is read
 * @throws InvalidVariableError for what is no time or no time zone
 */
export function nowContext(now: number | Date, timeZone: string): { readonly now: string } {
  const wall = toWallTime(instantOf(now), timeZone);
  return { now: `${formatDate(wall)} at ${formatTime(wall)} ${wall.zoneName}` };
}

/** Not a number for what is neither a number nor a Date: null would be 1970. */
function instantOf(now: number | Date): number {
  return typeof now === "number" || (now as unknown) instanceof Date ? Number(now) : NaN;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** A day's date, or the error that says what a day looks like. */
export function requireDate(day: string): CalendarDate {
  const date = readDate(day);
  if (date !== undefined) return date;
  const message = `${JSON.stringify(day)} is not a day; write it as 20260124 or 2026-01-24`;
  throw new InvalidVariableError([{ name: "day", code: "unusable-value", message }]);
}
