import { sharedLength } from "@promptfold/renderer";
import { describe, expect, it } from "vitest";
import { diagnoseBodies } from "../../index.ts";
import { changesAt, withoutVarying } from "./varying-text.ts";

function causeOf(before: string, after: string): string | undefined {
  return changesAt(before, after, sharedLength(before, after));
}

describe("a clock", () => {
  it.each([
    ["11/30/2026, 3:01:00 AM", "11/30/2026, 3:01:09 AM"],
    ["Sun, 30 Nov 2026 03:01:00 GMT", "Sun, 30 Nov 2026 03:01:09 GMT"],
    ["20261130T030100Z", "20261130T030109Z"],
    ["20261130", "20261201"],
    ["2026/11/30 03:01", "2026/11/30 03:02"],
    ["2026/11/30", "2026/12/01"],
    ["11/30/2026", "12/01/2026"],
    ["November 30, 2026", "December 1, 2026"],
    ["1795921260123", "1795921269123"],
    ["1764471660.123", "1764471660.927"],
    ["It is 3 PM", "It is 4 PM"],
    ["It is 3pm on Monday", "It is 4pm on Monday"],
    ["It is 9 a.m. now", "It is 10 a.m. now"],
    ["It is three, 3 o'clock", "It is three, 4 o'clock"],
    ["Today is Monday", "Today is Tuesday"],
    ["30.11.2026 03:01", "30.11.2026 03:02"],
    ["30.11.2026", "01.12.2026"],
    ["Es ist 15 Uhr", "Es ist 16 Uhr"],
    ["03h01", "03h02"],
    ["uptime 3 days 4 hours", "uptime 3 days 5 hours"],
    ["Uptime: 12345", "Uptime: 12399"],
    ["elapsed 12.5s", "elapsed 19.1s"],
    ["last commit 3 minutes ago", "last commit 5 minutes ago"],
    ["last commit 59 minutes ago", "last commit an hour ago"],
    ["changed 3h ago", "changed 4h ago"],
    ["The year is 2026", "The year is 2027"],
    ["November 2026", "December 2026"],
    ["30 novembre 2026", "1 décembre 2026"],
    ["30 de noviembre de 2026", "1 de diciembre de 2026"],
    ["Montag, 30. November 2026", "Dienstag, 1. Dezember 2026"],
    ["30 ноября 2026", "1 декабря 2026"],
    ["mardi", "mercredi"],
    ["2026年11月30日 3時", "2026年12月1日 3時"],
    ["2026年11月30日 3時", "2026年11月30日 4時"],
    ["今日は月曜日", "今日は火曜日"],
    ["vor 5 Minuten", "vor 9 Minuten"],
    ["il y a 5 minutes", "il y a 6 minutes"],
    ["2026-11-30 03:01:00.123456", "2026-11-30 03:01:09.654321"],
    ["Mon Nov 30 2026 03:01:00 GMT+0000 (UTC)", "Tue Dec 01 2026 03:01:00 GMT+0000 (UTC)"],
    ["2026-W48", "2026-W49"],
    ["week 48 of the year", "week 49 of the year"],
    ["Q3 2026", "Q4 2026"],
  ])("is seen where %j becomes %j", (before, after) => {
    expect(causeOf(`Intro. ${before}\nRules follow.`, `Intro. ${after}\nRules follow.`)).toBe("clock");
    expect(withoutVarying(`Intro. ${before}\nRules`)).toBe(withoutVarying(`Intro. ${after}\nRules`));
  });

  it.each([
    ["Version 1.2.3", "Version 1.2.4"],
    ["version 10.2.13", "version 10.2.14"],
    ["v10.11.12", "v10.11.13"],
    ["localhost:8080", "localhost:8081"],
    ["10.20.30.40", "10.20.30.41"],
    ["src/a.ts:10:20", "src/a.ts:11:20"],
    ["3 files", "4 files"],
    ["at most 2000 tokens", "at most 2050 tokens"],
    ["wait 5 minutes", "wait 10 minutes"],
    ["you may 3 times", "you may 4 times"],
    ["12 apples", "12 applets"],
    ["tokens left 18233", "tokens left 17111"],
  ])("is not seen where %j becomes %j", (before, after) => {
    expect(causeOf(`Intro. ${before}\nRules`, `Intro. ${after}\nRules`)).not.toBe("clock");
  });
});

describe("an identifier", () => {
  it.each([
    ["commit a1b2c3d", "commit d4e5f6a"],
    ["/tmp/tmpab12cd3e/work", "/tmp/tmpzz99xx1q/work"],
    ["01JDZ4X2Y3Z4A5B6C7D8E9F0G1", "01JDZ4X9Y3Z4A5B6C7D8E9F0G1"],
  ])("is seen where %j becomes %j", (before, after) => {
    expect(causeOf(`Intro. ${before}\nRules`, `Intro. ${after}\nRules`)).toBe("id");
  });
});

it("finds the age of a commit in a system text to be a clock", () => {
  const body = (age: string, more: object[]): object => ({
    messages: [
      { role: "system", content: `Last commit ${age} ago.` },
      { role: "user", content: "q" },
      ...more,
    ],
  });
  const later = [
    { role: "assistant", content: "a" },
    { role: "user", content: "r" },
  ];
  expect(diagnoseBodies([body("3 minutes", []), body("5 minutes", later)]).breaks).toMatchObject([
    { cause: "clock" },
  ]);
});
