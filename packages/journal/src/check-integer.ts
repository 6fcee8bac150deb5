import { InvalidOptionError } from "./errors.ts";

/** Throws `InvalidOptionError` unless the value is a whole number from `least` to `most`. */
export function checkInteger(
  value: unknown,
  what: string,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    throw new InvalidOptionError(`${what} is ${String(value)}; pass a whole number ${range}`);
  }
}
