import { encodeValue, type EncodedValue } from "../encode-value.ts";
import type { GuestBridge, GuestLimits } from "./bridge.ts";

// Taken before any script runs, for a script may replace what is built in.
const { parse } = JSON;

/** Starts a call of a host function; `path` names it in errors. */
export type StartCall = (path: string, target: number, parameters: readonly unknown[]) => Promise<unknown>;

interface PendingCall {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  /** Made where the call was made, so that its stack names the script's line. */
  error: Error;
}

/** Sends host calls to the worker and settles them with its replies. */
export function createHostCalls(
  bridge: GuestBridge,
  limits: GuestLimits,
): { start: StartCall; reply: (call: number, succeeded: boolean, text: string) => void } {
  const pending = new Map<number, PendingCall>();
  let last = 0;

  async function start(path: string, target: number, parameters: readonly unknown[]): Promise<unknown> {
    if (pending.size >= limits.pendingCalls) {
      throw new RangeError(
        `${path}: more than ${limits.pendingCalls} host calls at once. Await them in batches.`,
      );
    }
    const text = encodeParameters(path, parameters, limits.argumentCharacters);
    const call = ++last;
    const error = new Error();
    return new Promise((resolve, reject) => {
      pending.set(call, { resolve, reject, error });
      bridge.call(call, target, text);
    });
  }

  function reply(call: number, succeeded: boolean, text: string): void {
    const waiting = pending.get(call);
    if (!waiting) return;
    pending.delete(call);
    if (succeeded) {
      waiting.resolve(text === "" ? undefined : parse(text));
      return;
    }
    for (const [name, value] of Object.entries(parse(text) as Record<string, unknown>)) {
      Object.defineProperty(waiting.error, name, { value, writable: true, configurable: true });
    }
    waiting.reject(waiting.error);
  }

  return { start, reply };
}

/** Each argument in an array of its own: `[]` is `undefined`. */
function encodeParameters(path: string, parameters: readonly unknown[], limit: number): string {
  let left = limit;
  const texts = parameters.map((parameter, at) => {
    const encoded: EncodedValue = encodeValue(parameter, left);
    if (encoded.kind === "too-large") {
      throw new RangeError(
        `${path}: argument ${at + 1} makes the call longer than ${limit} characters. Hand it over in parts.`,
      );
    }
    if (encoded.kind === "undefined") return "[]";
    left -= encoded.text.length;
    return `[${encoded.text}]`;
  });
  return `[${texts.join(",")}]`;
}
