import { encodeValue } from "../encode-value.ts";
import type { HostShape } from "../messages.ts";
import type { Guest, GuestBridge, GuestError, GuestLimits } from "./bridge.ts";
import { createConsole } from "./create-console.ts";
import { createHostCalls } from "./create-host-calls.ts";
import { buildHost } from "./build-host.ts";
import { createTimers } from "./create-timers.ts";
import { describeThrown } from "./describe-thrown.ts";

// Taken before any script runs, for a script may replace what is built in.
const { parse, stringify } = JSON;

/**
 * Sets up the global scope of a fresh context and returns the ways back in.
 *
 * The worker loads this folder, compiled, into QuickJS. It is what runs inside the sandbox before and around a script,
 * so it uses the language alone, and text crosses as JSON.
 */
export function startGuest(bridge: GuestBridge, shapeText: string, limitsText: string): Guest {
  const limits = parse(limitsText) as GuestLimits;
  const calls = createHostCalls(bridge, limits);
  const timers = createTimers(bridge);
  const missing = { note: "" };
  const host = buildHost(parse(shapeText) as HostShape, "host", calls.start, missing);
  define("host", host);
  const { methods, tellOmitted } = createConsole(bridge, limits);
  define("console", methods);
  define("setTimeout", timers.start);
  define("clearTimeout", timers.stop);

  function threw(thrown: unknown): void {
    tellOmitted();
    let error: GuestError = { text: "The script threw something that cannot be read", stack: "" };
    try {
      error = describeThrown(thrown, missing.note);
    } catch {
      // What was thrown throws itself when it is looked at.
    }
    bridge.threw(stringify(error));
  }

  async function run(script: ScriptFunction, whole: boolean): Promise<void> {
    try {
      let result = await script(host);
      if (whole && typeof result === "function") result = await (result as ScriptFunction)(host);
      const encoded = encodeValue(result, limits.resultCharacters);
      if (encoded.kind === "too-large") {
        threw(
          new RangeError(
            `The result is longer than ${limits.resultCharacters} characters. Return a part of it.`,
          ),
        );
      } else {
        tellOmitted();
        bridge.returned(encoded.kind === "json" ? encoded.text : "");
      }
    } catch (thrown) {
      threw(thrown);
    }
  }

  return { run: (script, whole) => void run(script, whole), reply: calls.reply, fire: timers.fire };
}

type ScriptFunction = (host: unknown) => unknown;

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}
