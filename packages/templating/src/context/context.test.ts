import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidVariableError } from "../errors.ts";
import { activityContext, facetContext } from "./activity-context.ts";
import { CONTEXT_NAMES } from "./context-names.ts";
import { dayContext, nowContext, todayContext } from "./day-context.ts";
import { toInstant, toWallTime } from "./local-time.ts";
import { segmentContext } from "./segment-context.ts";

const LOS_ANGELES = "America/Los_Angeles";

describe("days and times", () => {
  it("are written as the templates expect them", () => {
    expect(dayContext("20260123")).toEqual({ day: "Friday, January 23, 2026", day_YYYYMMDD: "20260123" });
    expect(dayContext("2024-02-29").day).toBe("Thursday, February 29, 2024");
    const now = Date.UTC(2025, 1, 3, 18, 30);
    expect(nowContext(now, LOS_ANGELES)).toEqual({ now: "Monday, February 3, 2025 at 10:30 AM PST" });
    expect(nowContext(new Date(now), LOS_ANGELES)).toEqual(nowContext(now, LOS_ANGELES));
    expect(todayContext(Date.UTC(2025, 1, 4, 7, 59), LOS_ANGELES).day_YYYYMMDD).toBe("20250203");
    expect(todayContext(Date.UTC(2025, 1, 4, 8, 0), LOS_ANGELES).day_YYYYMMDD).toBe("20250204");
  });

  it("follow the zone's own rules, also on the days clocks change", () => {
    const at = (utc: number, zone = LOS_ANGELES): string => nowContext(utc, zone).now.replace(/^.* at /, "");
    expect(at(Date.UTC(2024, 2, 10, 9, 59))).toBe("1:59 AM PST");
    expect(at(Date.UTC(2024, 2, 10, 10, 0))).toBe("3:00 AM PDT");
    expect(at(Date.UTC(2024, 10, 3, 8, 30))).toBe("1:30 AM PDT");
    expect(at(Date.UTC(2024, 10, 3, 9, 30))).toBe("1:30 AM PST");
    expect(at(Date.UTC(2024, 0, 1, 18, 35), "Asia/Kathmandu")).toBe("12:20 AM GMT+5:45");
    expect(at(Date.UTC(2024, 3, 6, 15, 15), "Australia/Lord_Howe")).toMatch(/^1:45 AM GMT\+10:30$/);
    expect(at(Date.UTC(2024, 0, 1, 0, 0), "UTC")).toBe("12:00 AM UTC");
    expect(at(Date.UTC(2024, 0, 1, 12, 0), "UTC")).toBe("12:00 PM UTC");
  });

  it("do not depend on the zone of the machine", () => {
    const zone = process.env["TZ"];
    try {
      const seen = ["Pacific/Kiritimati", "America/Los_Angeles", "UTC"].map((timeZone) => {
        process.env["TZ"] = timeZone;
        return [nowContext(0, "Europe/Berlin"), dayContext("20240310"), todayContext(0, "Asia/Tokyo")];
      });
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[2]).toEqual(seen[0]);
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  it("that do not exist are errors that say how to write them", () => {
    for (const day of ["", "2026", "20260230", "20261301", "2026-0101", "x"]) {
      expect(() => dayContext(day)).toThrow(InvalidVariableError);
    }
    expect(() => nowContext(0, "Mars/Olympus")).toThrow(
      /"Mars\/Olympus" is not a time zone; give an IANA name/,
    );
  });

  it.each([undefined, null, 5, "", " ", {}, Symbol("zone")])(
    "are read in no zone but the one that is given: %s",
    (zone) => {
      const timeZone = zone as string;
      const isTyped = expect.objectContaining({
        code: "invalid-variable",
        message: expect.stringMatching(/time zone.*; give an IANA name such as Europe\/Lisbon$/) as string,
      }) as Error;
      expect(() => nowContext(0, timeZone)).toThrow(isTyped);
      expect(() => todayContext(0, timeZone)).toThrow(isTyped);
      expect(() => segmentContext("143022_300", { day: "20260124", timeZone })).toThrow(isTyped);
    },
  );

  it.each([new Date("x"), NaN, Infinity, -8.64e15 - 1, undefined, null, "today", {}])(
    "need a time that is one: %s",
    (time) => {
      const now = time as number;
      for (const build of [nowContext, todayContext]) {
        expect(() => build(now, "UTC")).toThrow(InvalidVariableError);
        expect(() => build(now, "UTC")).toThrow(
          /^the time is none .*; give milliseconds since 1970 UTC or a/,
        );
      }
    },
  );

  it("come back from the wall clock to the instant, but for the hour that occurs twice", () => {
    const zone = fc.constantFrom(
      LOS_ANGELES,
      "Europe/Lisbon",
      "Asia/Kolkata",
      "Australia/Lord_Howe",
      "Africa/Casablanca",
      "UTC",
    );
    const instant = fc
      .integer({ min: Date.UTC(1980, 0), max: Date.UTC(2037, 0) })
      .map((ms) => ms - (ms % 1000));
    fc.assert(
      fc.property(zone, instant, (timeZone, at) => {
        const wall = toWallTime(at, timeZone);
        const back = toInstant(wall, timeZone);
        expect(toWallTime(back, timeZone)).toMatchObject({
          hour: wall.hour,
          minute: wall.minute,
          day: wall.day,
        });
        // Otherwise the first of two occurrences, at most two hours before.
        expect(at - back).toBeGreaterThanOrEqual(0);
        expect(at - back).toBeLessThanOrEqual(7_200_000);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("segments", () => {
  it("give start and end as clock times", () => {
    expect(segmentContext("143022_300", { day: "20260124", timeZone: "Europe/Lisbon" })).toEqual({
      segment: "143022_300",
      segment_start: "2:30 PM",
      segment_end: "2:35 PM",
    });
  });

  it("end when their seconds have really passed, on days clocks change too", () => {
    const end = (segment: string, day: string, timeZone = LOS_ANGELES): string => {
      const { segment_start, segment_end } = segmentContext(segment, { day, timeZone });
      return `${segment_start} to ${segment_end}`;
    };
    expect(end("015500_600", "20240310")).toBe("1:55 AM to 3:05 AM");
    expect(end("005500_600", "20241103")).toBe("12:55 AM to 1:05 AM");
    expect(end("013000_3600", "20241103")).toBe("1:30 AM to 1:30 AM");
    expect(end("235500_600", "20240101", "Asia/Kathmandu")).toBe("11:55 PM to 12:05 AM");
    // A start in the hour that was skipped is as much later as the clocks jumped.
    expect(end("023000_60", "20240310")).toBe("2:30 AM to 3:31 AM");
  });

  it("that are none are errors", () => {
    for (const segment of ["", "143022", "243000_300", "146022_300", "143022_", "143022_300x"]) {
      expect(() => segmentContext(segment, { day: "20260124", timeZone: "UTC" })).toThrow(
        InvalidVariableError,
      );
    }
  });
});

describe("activities", () => {
  it("give lists with commas, minutes, and a folder with a slash", () => {
    const activity = {
      id: "garden_143022",
      type: "gardening",
      description: "pruning roses",
      level: "high",
      entities: ["Ada", "the shed"],
      segments: ["143022_300", "143522_290"],
      directory: "journal/garden/20260124",
    };
    expect(activityContext(activity)).toEqual({
      activity_id: "garden_143022",
      activity_type: "gardening",
      activity_description: "pruning roses",
      activity_level: "high",
      activity_entities: "Ada, the shed",
      activity_segments: "143022_300, 143522_290",
      activity_duration: 10,
      activity_md_dir: "journal/garden/20260124/",
    });
    expect(activityContext({ ...activity, directory: "a/", durationMinutes: 7 })).toMatchObject({
      activity_md_dir: "a/",
      activity_duration: 7,
    });
  });

  it("and the other builders give exactly the names that are known everywhere", () => {
    const names = {
      ...dayContext("20260124"),
      ...nowContext(0, "UTC"),
      ...segmentContext("143022_300", { day: "20260124", timeZone: "UTC" }),
      ...facetContext("garden"),
      ...activityContext({
        id: "",
        type: "",
        description: "",
        level: 0,
        entities: [],
        segments: [],
        directory: "",
      }),
    };
    expect(new Set(Object.keys(names))).toEqual(CONTEXT_NAMES);
  });
});
