import { InvalidLimitError } from "./invalid-limit-error.ts";

/** What one script may use. Characters are UTF-16 code units. */
export interface Limits {
  /** Milliseconds from the script's start to its end, waiting included. Default: 60,000. */
  timeoutMs: number;
  /** Bytes of memory for values, at least 1 MiB. Default: 128 MiB. */
  memoryBytes: number;
  /** Bytes of stack, at least 32 KiB; more than 256 KiB, the default, is not safe in a worker thread. */
  stackBytes: number;
  /** Characters of the script. Default: 1,000,000. */
  codeCharacters: number;
  /** Characters of console output that are kept; what comes later is only counted. Default: 20,000. */
  logCharacters: number;
  /** Characters of the result as JSON. Default: 8,000,000. */
  resultCharacters: number;
  /** Characters of all arguments of one host call as JSON. Default: 1,000,000. */
  argumentCharacters: number;
  /** Characters of what one host call returns, as JSON. Default: 8,000,000. */
  replyCharacters: number;
  /** Host calls under way at once. Default: 100. */
  pendingCalls: number;
}

const MEBIBYTE = 1024 * 1024;

/** The limits of a script unless the caller sets others. */
export const defaultLimits: Readonly<Limits> = Object.freeze({
  timeoutMs: 60_000,
  memoryBytes: 128 * MEBIBYTE,
  stackBytes: 256 * 1024,
  codeCharacters: 1_000_000,
  logCharacters: 20_000,
  resultCharacters: 8_000_000,
  argumentCharacters: 1_000_000,
  replyCharacters: 8_000_000,
  pendingCalls: 100,
});

const lowest: Readonly<Partial<Limits>> = { memoryBytes: MEBIBYTE, stackBytes: 32 * 1024 };

const highest: Readonly<Partial<Limits>> = {
  timeoutMs: 2 ** 31 - 10_000,
  memoryBytes: 2_000 * MEBIBYTE,
  stackBytes: 256 * 1024,
};

/** Fills in the defaults. @throws InvalidLimitError for a value that is not a number in the limit's range. */
export function resolveLimits(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits };
  for (const name of Object.keys(defaultLimits) as (keyof Limits)[]) {
    const value = given[name];
    if (value === undefined) continue;
    const least = lowest[name] ?? 1;
    const most = highest[name] ?? 100_000_000;
    if (typeof value !== "number" || !(value >= least) || value > most) {
      throw new InvalidLimitError(name, value, least, most);
    }
    limits[name] = value;
  }
  return limits;
}
