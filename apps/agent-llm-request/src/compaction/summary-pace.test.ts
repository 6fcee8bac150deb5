import { expect, it } from "vitest";
import { SummaryPace } from "./summary-pace.ts";

/** After which ended requests a summary is asked for, when every call fails. */
function callsOf(requests: number, isStuck: boolean): number[] {
  const pace = new SummaryPace();
  const calls: number[] = [];
  for (let ended = 1; ended <= requests; ended++) {
    if (!pace.allows(ended, isStuck)) continue;
    calls.push(ended);
    pace.failed(ended);
  }
  return calls;
}

it("waits twice as long after each call that failed, up to a limit", () => {
  expect(callsOf(130, false)).toEqual([1, 2, 4, 8, 16, 32, 64, 96, 128]);
  expect(callsOf(40, true)).toEqual([1, 2, 4, 8, 16, 24, 32, 40]);
});

it("waits for one request after a call that was given up, and for none after one that succeeded", () => {
  const pace = new SummaryPace();
  pace.gaveUp(5);
  expect([pace.allows(5, false), pace.allows(6, false)]).toEqual([false, true]);
  for (let failure = 0; failure < 4; failure++) pace.failed(6);
  pace.succeeded();
  expect(pace.allows(6, false)).toBe(true);
});
