import { encodeValue } from "../encode-value.ts";
import type { GuestError } from "./bridge.ts";

const LONGEST_ERROR = 8000;

/** Words what a script threw; throws itself when that cannot be looked at. */
export function describeThrown(thrown: unknown, missingNote: string): GuestError {
  if (!(thrown instanceof Error)) {
    const encoded = encodeValue(thrown, LONGEST_ERROR);
    const text =
      encoded.kind === "json" ? encoded.text : encoded.kind === "undefined" ? "undefined" : "a large value";
    return { text: `The script threw ${text}`, stack: "" };
  }
  const looked = thrown instanceof TypeError && missingNote !== "" ? ` (${missingNote})` : "";
  const stack: unknown = thrown.stack;
  return {
    text: `${describeError(thrown)}${looked}`.slice(0, LONGEST_ERROR),
    stack: typeof stack === "string" ? stack.slice(0, LONGEST_ERROR) : "",
  };
}

/** A value as the console shows it. */
export function formatLogged(value: unknown, limit: number): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return describeError(value);
  const encoded = encodeValue(value, limit);
  if (encoded.kind === "undefined") return "undefined";
  return encoded.kind === "json" ? encoded.text : "[too large to show]";
}

function describeError(error: Error): string {
  const own = `${error.name}: ${error.message}`;
  if (error.cause === undefined) return own;
  const cause = error.cause instanceof Error ? describeCause(error.cause) : formatLogged(error.cause, 1000);
  return `${own} (cause: ${cause})`;
}

function describeCause(cause: Error): string {
  return `${cause.name}: ${cause.message}`;
}
