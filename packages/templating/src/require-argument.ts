import { isPlainObject } from "@promptfold/contract";
import { describeValue } from "./describe-value.ts";
import { ArgumentTypeError } from "./errors.ts";

/** @throws ArgumentTypeError unless an argument is text; `what` names it, `pass` says what to pass */
export function requireText(value: unknown, what: string, pass: string): void {
  if (typeof value !== "string") throw invalid(what, "text", value, pass);
}

/** @throws ArgumentTypeError unless an argument is an object of the caller's, and no list or text */
export function requireObject(value: unknown, what: string, pass: string): void {
  if (!isPlainObject(value)) throw invalid(what, "an object", value, pass);
}

/** @throws ArgumentTypeError unless an argument is a list */
export function requireList(value: unknown, what: string, pass: string): void {
  if (!Array.isArray(value)) throw invalid(what, "a list", value, pass);
}

function invalid(what: string, must: string, value: unknown, pass: string): ArgumentTypeError {
  return new ArgumentTypeError(`${what} must be ${must}, and is ${describeValue(value)}; pass ${pass}`);
}
