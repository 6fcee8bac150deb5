import fc from "fast-check";
import { expect, test } from "vitest";
import { formatDuration } from "./format-duration.ts";
import { InvalidDurationError } from "./invalid-duration-error.ts";

test.each([
  [0, "0ms"],
  [0.4, "0ms"],
  [999.4, "999ms"],
  [999.6, "1s"],
  [-1, "0ms"],
  [125_000, "2m 5s"],
  [3_723_000, "62m 3s"],
])("%f ms is %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test("a text is within half of its last unit of the duration", () => {
  fc.assert(
    fc.property(fc.nat({ max: 10_000_000 }), (milliseconds) => {
      const text = formatDuration(milliseconds);
      expect(text).toMatch(/^(?:\d+ms|\d+(?:\.\d)?s|\d+m(?: \d+s)?)$/);
      const units = { ms: 1, s: 1000, m: 60_000 };
      const read = [...text.matchAll(/([\d.]+)(ms|s|m)/g)].reduce(
        (sum, [, amount, unit]) => sum + Number(amount) * units[unit as keyof typeof units],
        0,
      );
      const half = milliseconds < 1000 ? 0.5 : milliseconds < 120_000 ? 50 : 500;
      expect(Math.abs(read - milliseconds)).toBeLessThanOrEqual(half);
    }),
    { numRuns: 5000 },
  );
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  "%s is refused",
  (milliseconds) => {
    try {
      formatDuration(milliseconds);
      expect.unreachable();
    } catch (error) {
      expect(InvalidDurationError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({
        code: "invalid-duration",
        name: "InvalidDurationError",
        message: `the duration ${milliseconds} is not a finite number of milliseconds; subtract two valid times`,
      });
    }
  },
);
