import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from "quickjs-emscripten";
import { compileScript, quoteLine, scriptName } from "./compile-script.ts";
import type { GuestError } from "./guest/bridge.ts";
import type { Limits } from "./limits.ts";
import type { Engine } from "./load-engine.ts";
import type { FromWorker, ScriptEnd } from "./messages.ts";

/** A script to execute, as the main thread sent it. */
export interface ScriptOrder {
  run: number;
  code: string;
  wrap: boolean;
  shape: string;
  limits: Limits;
}

/** A script that runs. */
export interface RunningScript {
  reply: (call: number, succeeded: boolean, text: string) => void;
}

/** The compiled files that QuickJS loads, by name. */
export type GuestSources = ReadonlyMap<string, string>;

/** The file that the others of `GuestSources` are reached from. */
const guestEntry = "guest/start-guest.js";

const jobsAtOnce = 200;

/**
 * Executes one script in a QuickJS runtime of its own and tells everything by `send`: `started` once it parses, then
 * calls and logs, `ended` exactly once, and `freed` when its memory is given back.
 */
export function executeScript(
  engine: Engine,
  sources: GuestSources,
  order: ScriptOrder,
  send: (message: FromWorker) => void,
): RunningScript {
  const { run, limits } = order;
  const runtime = engine.module.newRuntime();
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setMaxStackSize(limits.stackBytes);
  const context = runtime.newContext();
  const handles: QuickJSHandle[] = [];
  const timers = new Map<number, NodeJS.Timeout>();
  const open = { calls: new Set<number>() };
  let deadline = Number.POSITIVE_INFINITY;
  let deadlineTimer: NodeJS.Timeout | undefined;
  let drainTimer: NodeJS.Immediate | undefined;
  let ended = false;

  function end(how: ScriptEnd): void {
    if (ended) return;
    ended = true;
    clearTimeout(deadlineTimer);
    clearImmediate(drainTimer);
    for (const timer of timers.values()) clearTimeout(timer);
    send({ type: "ended", run, end: how });
    // Not at once: the guest may still be on the stack.
    setImmediate(() => {
      send({ type: "freed", run, reusable: free(runtime, context, handles) && isReusable(engine, how) });
    });
  }

  /** Calls into the guest, then runs what this made runnable. */
  function enter(name: string, ...parameters: QuickJSHandle[]): void {
    const [guest] = handles;
    if (ended || !guest) return;
    const result = context.callMethod(guest, name, parameters);
    for (const parameter of parameters) parameter.dispose();
    if (result.error) result.error.dispose();
    else result.value.dispose();
    drain();
  }

  /** Runs pending jobs in batches, so that replies and the deadline get their turn. */
  function drain(): void {
    if (ended) return;
    const result = runtime.executePendingJobs(jobsAtOnce);
    if (result.error) result.error.dispose();
    if (isEnded()) return;
    if (performance.now() >= deadline) {
      end({ kind: "out-of-time" });
    } else if (runtime.hasPendingJob()) {
      clearImmediate(drainTimer);
      drainTimer = setImmediate(drain);
    } else if (open.calls.size === 0 && timers.size === 0) {
      end({ kind: "stuck" });
    }
  }

  function isEnded(): boolean {
    return ended;
  }

  const bridge = createBridge(context, {
    call(call, target, text) {
      if (ended) return;
      open.calls.add(call);
      send({ type: "call", run, call, target, text });
    },
    log(level, text) {
      if (!ended) send({ type: "log", run, level, text });
    },
    omit(lines) {
      if (!ended) send({ type: "omitted", run, lines });
    },
    startTimer(timer, milliseconds) {
      if (ended) return;
      const fire = (): void => {
        timers.delete(timer);
        enter("fire", context.newNumber(timer));
      };
      timers.set(timer, setTimeout(fire, Math.min(milliseconds, limits.timeoutMs)));
    },
    stopTimer(timer) {
      clearTimeout(timers.get(timer));
      timers.delete(timer);
    },
    returned(text) {
      end({ kind: "returned", ...(text === "" ? {} : { text }) });
    },
    threw(text) {
      // An interrupted script sees an error of its own at the place where it was.
      const late = performance.now() >= deadline;
      end(late ? { kind: "out-of-time" } : { kind: "threw", error: describeError(order.code, text) });
    },
  });

  function start(): void {
    handles.push(startGuest(context, sources, bridge, order));
    const compiled = compileScript(context, order.code, order.wrap);
    if (compiled.kind === "problem") {
      end({ kind: "refused", error: compiled.problem });
      return;
    }
    send({ type: "started", run });
    deadline = performance.now() + limits.timeoutMs;
    runtime.setInterruptHandler(() => performance.now() >= deadline);
    deadlineTimer = setTimeout(() => {
      end({ kind: "out-of-time" });
    }, limits.timeoutMs);
    const script = context.evalCode(compiled.code, scriptName, { type: "global", strict: true });
    if (script.error) {
      const thrown: unknown = script.error.consume((handle) => context.dump(handle) as unknown);
      end({ kind: "threw", error: describeDumped(thrown) });
      return;
    }
    enter("run", script.value, compiled.whole ? context.true : context.false);
  }

  start();
  return {
    reply(call, succeeded, text) {
      if (ended || !open.calls.delete(call)) return;
      enter(
        "reply",
        context.newNumber(call),
        succeeded ? context.true : context.false,
        context.newString(text),
      );
    },
  };
}

type Bridge = Record<string, (...parameters: never[]) => void>;

/** Makes an object of functions that the guest calls with numbers and strings. */
function createBridge(context: QuickJSContext, functions: Bridge): QuickJSHandle {
  const bridge = context.newObject();
  for (const [name, call] of Object.entries(functions)) {
    context
      .newFunction(name, (...handles) => {
        const parameters = handles.map((handle) =>
          context.typeof(handle) === "number" ? context.getNumber(handle) : context.getString(handle),
        );
        (call as (...parameters: unknown[]) => void)(...parameters);
      })
      .consume((handle) => {
        context.setProp(bridge, name, handle);
      });
  }
  return bridge;
}

function startGuest(
  context: QuickJSContext,
  sources: GuestSources,
  bridge: QuickJSHandle,
  order: ScriptOrder,
): QuickJSHandle {
  context.runtime.setModuleLoader((name) => sources.get(name) ?? { error: new Error(`There is no ${name}`) });
  const exports = context.unwrapResult(
    context.evalCode(sources.get(guestEntry) ?? "", guestEntry, { type: "module" }),
  );
  // From here on the script can load nothing.
  context.runtime.removeModuleLoader();
  const { logCharacters, resultCharacters, argumentCharacters, pendingCalls } = order.limits;
  const limits = JSON.stringify({ logCharacters, resultCharacters, argumentCharacters, pendingCalls });
  const parameters = [bridge, context.newString(order.shape), context.newString(limits)];
  const guest = context.unwrapResult(context.callMethod(exports, "startGuest", parameters));
  for (const parameter of parameters) parameter.dispose();
  exports.dispose();
  return guest;
}

/** Gives the memory back. A runtime that cannot be freed has left the module in doubt. */
function free(runtime: QuickJSRuntime, context: QuickJSContext, handles: readonly QuickJSHandle[]): boolean {
  try {
    for (const handle of handles) handle.dispose();
    context.dispose();
    runtime.dispose();
    return true;
  } catch {
    return false;
  }
}

const mostKeptBytes = 64 * 1024 * 1024;

/** A worker runs another script only after one that kept its time, and while its memory is small. */
function isReusable(engine: Engine, how: ScriptEnd): boolean {
  return how.kind !== "out-of-time" && engine.size() <= mostKeptBytes;
}

function describeError(code: string, text: string): string {
  const error = readGuestError(text);
  const frames = error.stack.split("\n").flatMap((frame) => describeFrame(code, frame));
  const distinct = frames.filter((frame, at) => frame !== frames[at - 1]);
  return [`${error.text}${namespaceHint(code, error.text)}`, ...distinct.slice(0, 5)].join("\n");
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

function describeDumped(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return `The script threw ${String(thrown)}`;
  const name = "name" in thrown ? String(thrown.name) : "Error";
  return `${name}: ${"message" in thrown ? String(thrown.message) : "the script could not start"}`;
}
