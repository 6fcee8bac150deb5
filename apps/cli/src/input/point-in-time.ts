import { parseEvent, type StoredEvent } from "@promptfold/contract";
import { initialState } from "@promptfold/fold";
import { InvalidArgumentError } from "commander";
import { InputError } from "../errors.ts";
import { parseOffset } from "../commands/parse-arguments.ts";
import { sayNote } from "../terminal/say-note.ts";
import type { EventSource } from "./event-source.ts";
import { foldWithoutTexts } from "./follow-requests.ts";

/** What a time stands for: the newest request opened, or the newest event, at or before it. */
type Wanted = "request" | "event";

/** A time that was given in place of an offset; which offset it stands for, the events say. */
export class PointInTime {
  readonly wanted: Wanted;
  /** Since the epoch. */
  readonly milliseconds: number;

  constructor(wanted: Wanted, milliseconds: number) {
    this.wanted = wanted;
    this.milliseconds = milliseconds;
  }

  toString(): string {
    return new Date(this.milliseconds).toISOString();
  }
}

/** What a help says of times that are given for offsets. */
export const TIMES_HELP = `A time is ISO 8601 with its zone, as in 2026-11-24T08:30Z, and means that very moment; a date alone, as in
2026-11-24, means its end in UTC.`;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const iso =
  /^(?<date>(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d))(?:[Tt ](?<hour>\d\d):?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;

/** Reads an offset, or a time that stands for one; which one, `withEvents` finds out. */
export function offsetOrTime(wanted: Wanted): (text: string) => number | PointInTime {
  return (text) => (/^@?\d*$/.test(text) ? parseOffset(text) : new PointInTime(wanted, parseTime(text)));
}

/** A time in milliseconds since the epoch; of a date, its last one. @throws InvalidArgumentError for what is none */
export function parseTime(text: string): number {
  const parts = iso.exec(text)?.groups;
  if (parts === undefined) {
    throw new InvalidArgumentError(
      "an offset is a whole number from 1, a time has its zone, as in 2026-11-24T08:30Z, and a date is written as 2026-11-24",
    );
  }
  const number = (name: string): number => Number(parts[name] ?? "0");
  const midnight = Date.UTC(number("year"), number("month") - 1, number("day"));
  // Date.UTC takes the 30th of February for a day in March.
  const isDate = number("year") >= 100 && new Date(midnight).toISOString().startsWith(parts["date"] ?? "");
  if (!isDate || number("hour") > 23 || number("minute") > 59 || number("second") > 59)
    throw new InvalidArgumentError("there is no such time");
  if (parts["hour"] === undefined) return midnight + DAY_MS - 1;
  if (parts["zone"] === undefined)
    throw new InvalidArgumentError(`say in which zone, as in ${text}Z or ${text}+01:00`);
  const ofDay = (number("hour") * 60 + number("minute")) * MINUTE_MS + number("second") * 1_000;
  const fraction = Math.floor(Number(`0.${parts["fraction"] ?? "0"}`) * 1_000);
  return midnight + ofDay + fraction - zoneMs(parts["zone"]);
}

/** How far a zone's clocks are ahead of UTC. */
function zoneMs(zone: string): number {
  if (/^z$/i.test(zone)) return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(":", ""))];
  if (hours > 23 || minutes > 59) throw new InvalidArgumentError("there is no such zone");
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

/**
 * Replaces the times among a command's options by the offsets that they stand for, and says which. The events are read once,
 * and only where there is a time.
 *
 * @throws InputError when nothing stands at or before one
 */
export async function resolveTimes(options: object, source: EventSource): Promise<void> {
  const times = Object.entries(options).filter((entry): entry is [string, PointInTime] => {
    return entry[1] instanceof PointInTime;
  });
  if (times.length === 0) return;
  const points = times.map(([, point]) => point);
  const outline = await findNewest(source.pages(), points);
  for (const [index, [name, point]] of times.entries()) {
    const found = outline.found[index];
    if (found === undefined) throw nothingThen(source.name, point, outline);
    Reflect.set(options, name, found.offset);
    const what = point.wanted === "request" ? "request opened" : "event";
    sayNote(
      `${source.name}@${found.offset}`,
      `the newest ${what} at or before ${String(point)}, at ${found.createdAt}`,
    );
  }
}

type Place = Pick<StoredEvent, "offset" | "createdAt">;

interface FoundTimes {
  /** For each time what it stands for. */
  readonly found: readonly (Place | undefined)[];
  /** What came first of all, at whatever time. */
  readonly first: Readonly<Partial<Record<Wanted, Place>>>;
  readonly head: number;
}

async function findNewest(
  pages: AsyncIterable<readonly StoredEvent[]>,
  points: readonly PointInTime[],
): Promise<FoundTimes> {
  const found: (Place | undefined)[] = points.map(() => undefined);
  const first: Partial<Record<Wanted, Place>> = {};
  let state = initialState;
  let head = 0;
  for await (const page of pages) {
    for (const stored of page) {
      const { offset, createdAt } = stored;
      const parsed = parseEvent(stored);
      if (parsed.kind === "known") state = foldWithoutTexts(state, parsed.event);
      const isRequest = state.openRequest?.offset === offset;
      head = offset;
      first.event ??= { offset, createdAt };
      if (isRequest) first.request ??= { offset, createdAt };
      points.forEach(({ wanted, milliseconds }, index) => {
        // A time that cannot be read stands at no time.
        if ((wanted === "event" || isRequest) && Date.parse(createdAt) <= milliseconds)
          found[index] = { offset, createdAt };
      });
    }
  }
  return { found, first, head };
}

function nothingThen(name: string, point: PointInTime, { first, head }: FoundTimes): InputError {
  const { wanted } = point;
  if (first.event === undefined) return new InputError(`${name}: the stream is empty`);
  if (wanted === "request" && first.request === undefined)
    return new InputError(
      `${name}: no request was opened in @1 to @${head}; name any offset to see what a request there would have been`,
    );
  const place = first[wanted] ?? first.event;
  const what = wanted === "request" ? "no request was opened" : "no event stands";
  const list = wanted === "request" ? "; promptfold request --list lists them" : "";
  return new InputError(
    `${name}: ${what} at or before ${String(point)}; the first is @${place.offset}, at ${place.createdAt}${list}`,
  );
}
