import { quoteLine } from "./compile-script.ts";
import type { GuestError } from "./guest/bridge.ts";

/** Lines of a stack trace that are shown. */
const MOST_FRAMES = 5;

/**
 * Words for what a script threw, from what the guest says of it, with the lines of the script that it came from.
 * `text` is JSON of a `GuestError`, and as much to distrust as the script.
 */
export function describeGuestError(code: string, text: string): string {
  const error = readGuestError(text);
  const frames = error.stack.split("\n").flatMap((frame) => describeFrame(code, frame));
  const distinct = frames.filter((frame, at) => frame !== frames[at - 1]);
  return [`${error.text}${namespaceHint(code, error.text)}`, ...distinct.slice(0, MOST_FRAMES)].join("\n");
}

/** Namespaces are dropped with the types, so what they define is missing when it is used. */
function namespaceHint(code: string, error: string): string {
  const name = /^ReferenceError: '([\w$]+)' is not defined/.exec(error)?.[1];
  if (name === undefined || !new RegExp(`\\bnamespace\\s+${name.replaceAll("$", "\\$")}\\b`).test(code))
    return "";
  return " (TypeScript namespaces are not supported; use an object)";
}

/** A line of a stack trace with the script's own text, or nothing for places outside of it. */
function describeFrame(code: string, frame: string): string[] {
  const place = /^ *at (?:([^ (]*) \()?(?:script\.ts|<evalScript>|<input>):(\d+)/.exec(frame);
  const quoted = quoteLine(code, Number(place?.[2]));
  if (!place || quoted === undefined) return [];
  const name = place[1] === undefined || place[1].startsWith("<") ? "" : `${place[1]}, `;
  return [`    at ${name}${quoted}`];
}

/** A script that has replaced built-in functions can garble what the guest says of it. */
function readGuestError(text: string): GuestError {
  try {
    const error: unknown = JSON.parse(text);
    if (typeof error === "object" && error !== null && "text" in error && "stack" in error) {
      return { text: String(error.text), stack: String(error.stack) };
    }
  } catch {
    // Told below.
  }
  return { text: "The script failed, and its error cannot be read", stack: "" };
}

/** Words for what a script threw while it was evaluated, as QuickJS dumps it. */
export function describeDumped(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return `The script threw ${String(thrown)}`;
  const name = "name" in thrown ? String(thrown.name) : "Error";
  return `${name}: ${"message" in thrown ? String(thrown.message) : "the script could not start"}`;
}
