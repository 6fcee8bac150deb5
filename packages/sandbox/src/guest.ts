import { encodeValue, type EncodedValue } from "./encode-value.ts";
import type { HostShape, LogLevel } from "./messages.ts";

/**
 * What runs inside the sandbox before and around a script: the `host` it sees, `console`, timers and the way out.
 * The worker loads the compiled file into QuickJS, so it uses the language alone; text crosses as JSON.
 */

/** The worker's side; every call returns at once. */
export interface GuestBridge {
  call: (call: number, target: number, text: string) => void;
  log: (level: LogLevel, text: string) => void;
  omit: (lines: number) => void;
  startTimer: (timer: number, milliseconds: number) => void;
  stopTimer: (timer: number) => void;
  /** `text` is the result as JSON, `""` for none. */
  returned: (text: string) => void;
  /** `text` is JSON of a `GuestError`. */
  threw: (text: string) => void;
}

/** What the guest needs to know of the limits. */
export interface GuestLimits {
  logCharacters: number;
  resultCharacters: number;
  argumentCharacters: number;
  pendingCalls: number;
}

/** What a script threw, described where it happened. */
export interface GuestError {
  text: string;
  stack: string;
}

/** The ways back into the guest. */
export interface Guest {
  /** Calls the script; `whole`: what it returns is the function to call. */
  run: (script: (host: unknown) => unknown, whole: boolean) => void;
  reply: (call: number, succeeded: boolean, text: string) => void;
  fire: (timer: number) => void;
}

// Taken before any script runs, for a script may replace what is built in.
const { parse, stringify } = JSON;

/** Sets up the global scope of a fresh context and returns the ways back in. */
export function startGuest(bridge: GuestBridge, shapeText: string, limitsText: string): Guest {
  const limits = parse(limitsText) as GuestLimits;
  const calls = createCalls(bridge, limits);
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

type StartCall = (path: string, target: number, parameters: readonly unknown[]) => Promise<unknown>;

interface PendingCall {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  /** Made where the call was made, so that its stack names the script's line. */
  error: Error;
}

function createCalls(
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

/** Names that the language and `encodeValue` look up on any object. */
const askedByLanguage: ReadonlySet<string> = new Set([
  "then",
  "toJSON",
  "constructor",
  "toString",
  "valueOf",
]);

function nameFunction(path: string, call: (...parameters: unknown[]) => unknown): unknown {
  return Object.freeze(Object.defineProperty(call, "name", { value: path }));
}

function buildHost(shape: HostShape, path: string, start: StartCall, missing: { note: string }): unknown {
  switch (shape.kind) {
    case "data":
      return shape.text === "" ? undefined : (parse(shape.text) as unknown);
    case "function":
      return nameFunction(path, (...parameters: unknown[]) => start(path, shape.target, parameters));
    case "object": {
      const members = Object.create(null) as Record<string, unknown>;
      for (const [name, member] of shape.members) {
        const value = buildHost(member, `${path}.${name}`, start, missing);
        Object.defineProperty(members, name, { value, enumerable: true });
      }
      return new Proxy(Object.freeze(members), {
        get(target, name) {
          if (typeof name === "string" && !(name in target) && !askedByLanguage.has(name)) {
            const names = Object.keys(target).slice(0, 30).join(", ");
            missing.note = `${path} has no ${name.slice(0, 100)}; it has: ${names === "" ? "nothing" : names}`;
          }
          return Reflect.get(target, name) as unknown;
        },
      });
    }
  }
}

function createConsole(
  bridge: GuestBridge,
  limits: GuestLimits,
): { methods: Record<string, unknown>; tellOmitted: () => void } {
  let left = limits.logCharacters;
  let omitted = 0;

  function writeLine(level: LogLevel, parameters: readonly unknown[]): void {
    if (left <= 0) {
      omitted += 1;
      // Told from time to time, for a script that is stopped from outside cannot tell at its end.
      if (omitted % 1000 === 0) bridge.omit(omitted);
      return;
    }
    const text = parameters.map((parameter) => formatLogged(parameter, left)).join(" ");
    const shown =
      text.length > left ? `${text.slice(0, left)}… [${text.length - left} more characters]` : text;
    // An empty line costs one character too.
    left -= shown.length + 1;
    bridge.log(level, stringify(shown));
  }

  const methods = Object.create(null) as Record<string, unknown>;
  for (const level of ["log", "info", "warn", "error", "debug"] as const) {
    methods[level] = (...parameters: unknown[]): void => {
      writeLine(level, parameters);
    };
  }
  for (const name of ["dir", "table", "trace", "group", "groupCollapsed"]) methods[name] = methods["log"];
  for (const name of ["groupEnd", "time", "timeEnd", "count", "clear"]) methods[name] = (): void => undefined;
  return {
    methods,
    tellOmitted() {
      if (omitted > 0) bridge.omit(omitted);
    },
  };
}

function formatLogged(value: unknown, limit: number): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return describeError(value);
  const encoded = encodeValue(value, limit);
  if (encoded.kind === "undefined") return "undefined";
  return encoded.kind === "json" ? encoded.text : "[too large to show]";
}

const mostTimers = 1000;

function createTimers(bridge: GuestBridge): {
  start: (callback: unknown, milliseconds?: unknown, ...parameters: unknown[]) => number;
  stop: (timer: unknown) => void;
  fire: (timer: number) => void;
} {
  const waiting = new Map<number, () => unknown>();
  let last = 0;
  return {
    start(callback, milliseconds, ...parameters) {
      if (typeof callback !== "function")
        throw new TypeError("setTimeout: the first argument must be a function.");
      if (waiting.size >= mostTimers)
        throw new RangeError(`setTimeout: more than ${mostTimers} timers at once.`);
      const timer = ++last;
      waiting.set(timer, () => (callback as (...parameters: unknown[]) => unknown)(...parameters));
      bridge.startTimer(timer, Math.max(0, Number(milliseconds) || 0));
      return timer;
    },
    stop(timer) {
      if (typeof timer === "number" && waiting.delete(timer)) bridge.stopTimer(timer);
    },
    fire(timer) {
      const callback = waiting.get(timer);
      waiting.delete(timer);
      try {
        callback?.();
      } catch (thrown) {
        bridge.log(
          "error",
          stringify(`Uncaught in setTimeout: ${formatLogged(thrown, 1000)}`.slice(0, 1000)),
        );
      }
    },
  };
}

const longestError = 8000;

function describeThrown(thrown: unknown, missingNote: string): GuestError {
  if (!(thrown instanceof Error)) {
    const encoded = encodeValue(thrown, longestError);
    const text =
      encoded.kind === "json" ? encoded.text : encoded.kind === "undefined" ? "undefined" : "a large value";
    return { text: `The script threw ${text}`, stack: "" };
  }
  const looked = thrown instanceof TypeError && missingNote !== "" ? ` (${missingNote})` : "";
  const stack: unknown = thrown.stack;
  return {
    text: `${describeError(thrown)}${looked}`.slice(0, longestError),
    stack: typeof stack === "string" ? stack.slice(0, longestError) : "",
  };
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
