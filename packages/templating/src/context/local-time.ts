import { describeValue } from "../describe-value.ts";
import { InvalidVariableError } from "../errors.ts";

/** A date in the Gregorian calendar, without a time zone. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** What a clock on the wall shows. */
export interface WallTime extends CalendarDate {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** The formatter of an IANA time zone, made once: making one costs far more than using it. */
function zoneFormatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  // For a zone that is left out, the one of this machine would be taken.
  if (typeof (timeZone as unknown) !== "string")
    throw noTimeZone(`the time zone is ${describeValue(timeZone)}`);
  let formatter: Intl.DateTimeFormat;
  try {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      timeZoneName: "short",
    });
  } catch {
    throw noTimeZone(`${JSON.stringify(timeZone)} is not a time zone`);
  }
  if (formatters.size >= 64) formatters.clear();
  formatters.set(timeZone, formatter);
  return formatter;
}

function noTimeZone(what: string): InvalidVariableError {
  const message = `${what}; give an IANA name such as Europe/Lisbon`;
  return new InvalidVariableError([{ name: "timezone", code: "unusable-value", message }]);
}

/** Dates reach as far from 1970, in milliseconds. */
const FARTHEST = 8.64e15;

/** What the wall clock of a zone shows at an instant (milliseconds since 1970 UTC), and the zone's short name then. */
export function toWallTime(instant: number, timeZone: string): WallTime & { readonly zoneName: string } {
  if (!(Math.abs(instant) <= FARTHEST)) {
    const message = "the time is none that a date can show; give milliseconds since 1970 UTC or a valid Date";
    throw new InvalidVariableError([{ name: "now", code: "unusable-value", message }]);
  }
  const parts = new Map(
    zoneFormatter(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const read = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  return {
    year: read("year"),
    month: read("month"),
    day: read("day"),
    hour: read("hour"),
    minute: read("minute"),
    second: read("second"),
    zoneName: parts.get("timeZoneName") ?? timeZone,
  };
}

/**
 * The instant at which a zone's wall clock shows a time. A time that occurs twice (clocks set back) is its first
 * occurrence; one that does not occur (clocks set forward) is as much later as the clocks jump.
 */
export function toInstant(wall: WallTime, timeZone: string): number {
  const asUtc = wallAsUtc(wall);
  const dayBefore = asUtc - 86_400_000;
  const dayAfter = asUtc + 86_400_000;
  const first = asUtc - offsetAt(dayBefore, timeZone);
  if (wallAsUtc(toWallTime(first, timeZone)) === asUtc) return first;
  const second = asUtc - offsetAt(dayAfter, timeZone);
  return wallAsUtc(toWallTime(second, timeZone)) === asUtc ? second : first;
}

function wallAsUtc({ year, month, day, hour, minute, second }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Milliseconds that a zone is ahead of UTC at an instant. */
function offsetAt(instant: number, timeZone: string): number {
  return wallAsUtc(toWallTime(instant, timeZone)) - Math.floor(instant / 1000) * 1000;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** `Friday, January 24, 2026`. Written here and not by Intl, whose words and spaces change between versions. */
export function formatDate({ year, month, day }: CalendarDate): string {
  const weekday = WEEKDAYS[new Date(Date.UTC(year, month - 1, day)).getUTCDay()] ?? "";
  return `${weekday}, ${MONTHS[month - 1] ?? ""} ${day}, ${year}`;
}

/** `2:30 PM`. */
export function formatTime({ hour, minute }: Pick<WallTime, "hour" | "minute">): string {
  return `${hour % 12 === 0 ? 12 : hour % 12}:${String(minute).padStart(2, "0")} ${hour < 12 ? "AM" : "PM"}`;
}

/** Reads `20260124` or `2026-01-24`; undefined when it is neither or no such day exists. */
export function readDate(text: string): CalendarDate | undefined {
  const match = /^(\d{4})(-?)(\d{2})\2(\d{2})$/.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[3]), Number(match[4])];
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? { year, month, day } : undefined;
}
