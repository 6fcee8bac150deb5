import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from "quickjs-emscripten";
import { type CompiledScript, compileScript, SCRIPT_NAME } from "./compile-script.ts";
import { describeDumped, describeGuestError } from "./describe-guest-error.ts";
import type { Guest, GuestBridge } from "./guest/bridge.ts";
import type { Limits } from "./limits.ts";
import type { Engine } from "./load-engine.ts";
import type { FromWorker, ScriptEnd } from "./messages.ts";
import { type GuestSources, loadGuest } from "./load-guest.ts";

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

/** Pending jobs that run before replies and the deadline get their turn. */
const JOBS_AT_ONCE = 200;

/** A worker whose memory has grown beyond this runs no other script. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024;

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
  const execution = new ScriptExecution(engine, order, send);
  execution.start(sources);
  return execution;
}

class ScriptExecution implements RunningScript {
  readonly #engine: Engine;
  readonly #order: ScriptOrder;
  readonly #send: (message: FromWorker) => void;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  /** The way into the guest, once it has started. */
  #guest: QuickJSHandle | undefined;
  /** Host calls that wait for their reply. */
  readonly #openCalls = new Set<number>();
  readonly #timers = new Map<number, NodeJS.Timeout>();
  /** When the script's time is over, by `performance.now()`. */
  #deadline = Number.POSITIVE_INFINITY;
  #deadlineTimer: NodeJS.Timeout | undefined;
  #nextJobs: NodeJS.Immediate | undefined;
  #hasEnded = false;

  constructor(engine: Engine, order: ScriptOrder, send: (message: FromWorker) => void) {
    this.#engine = engine;
    this.#order = order;
    this.#send = send;
    this.#runtime = engine.module.newRuntime();
    this.#runtime.setMemoryLimit(order.limits.memoryBytes);
    this.#runtime.setMaxStackSize(order.limits.stackBytes);
    this.#context = this.#runtime.newContext();
  }

  start(sources: GuestSources): void {
    const { code, wrap, run } = this.#order;
    this.#guest = loadGuest(this.#context, sources, this.#bridge(), this.#order);
    const compiled = compileScript(this.#context, code, wrap);
    if (compiled.kind === "problem") {
      this.#end({ kind: "refused", error: compiled.problem });
      return;
    }
    this.#send({ type: "started", run });
    this.#startClock();
    this.#evaluate(compiled);
  }

  reply(call: number, succeeded: boolean, text: string): void {
    if (this.#hasEnded || !this.#openCalls.delete(call)) return;
    const context = this.#context;
    const outcome = succeeded ? context.true : context.false;
    this.#enter("reply", context.newNumber(call), outcome, context.newString(text));
  }

  /** What the guest may ask of this worker. Nothing of it counts after the end. */
  #bridge(): GuestBridge {
    const { run, code } = this.#order;
    return {
      call: (call, target, text) => {
        if (this.#hasEnded) return;
        this.#openCalls.add(call);
        this.#send({ type: "call", run, call, target, text });
      },
      log: (level, text) => {
        if (!this.#hasEnded) this.#send({ type: "log", run, level, text });
      },
      omit: (lines) => {
        if (!this.#hasEnded) this.#send({ type: "omitted", run, lines });
      },
      startTimer: (timer, milliseconds) => {
        this.#startTimer(timer, milliseconds);
      },
      stopTimer: (timer) => {
        clearTimeout(this.#timers.get(timer));
        this.#timers.delete(timer);
      },
      returned: (text) => {
        this.#end({ kind: "returned", ...(text === "" ? {} : { text }) });
      },
      threw: (text) => {
        // An interrupted script sees an error of its own at the place where it was.
        this.#end(
          this.#isLate() ? { kind: "out-of-time" } : { kind: "threw", error: describeGuestError(code, text) },
        );
      },
    };
  }

  #startTimer(timer: number, milliseconds: number): void {
    if (this.#hasEnded) return;
    const fire = (): void => {
      this.#timers.delete(timer);
      this.#enter("fire", this.#context.newNumber(timer));
    };
    this.#timers.set(timer, setTimeout(fire, Math.min(milliseconds, this.#order.limits.timeoutMs)));
  }

  /** From here on the script's time runs. */
  #startClock(): void {
    const { timeoutMs } = this.#order.limits;
    this.#deadline = performance.now() + timeoutMs;
    this.#runtime.setInterruptHandler(() => this.#isLate());
    this.#deadlineTimer = setTimeout(() => {
      this.#end({ kind: "out-of-time" });
    }, timeoutMs);
  }

  #isLate(): boolean {
    return performance.now() >= this.#deadline;
  }

  #evaluate({ code, whole }: Extract<CompiledScript, { kind: "compiled" }>): void {
    const context = this.#context;
    const script = context.evalCode(code, SCRIPT_NAME, { type: "global", strict: true });
    if (script.error) {
      const thrown: unknown = script.error.consume((handle) => context.dump(handle) as unknown);
      this.#end({ kind: "threw", error: describeDumped(thrown) });
      return;
    }
    this.#enter("run", script.value, whole ? context.true : context.false);
  }

  /** Calls into the guest, then runs what this made runnable. */
  #enter(name: keyof Guest, ...parameters: QuickJSHandle[]): void {
    if (this.#hasEnded || this.#guest === undefined) return;
    const result = this.#context.callMethod(this.#guest, name, parameters);
    for (const parameter of parameters) parameter.dispose();
    if (result.error) result.error.dispose();
    else result.value.dispose();
    this.#runJobs();
  }

  /** Runs pending jobs in batches, so that replies and the deadline get their turn. */
  #runJobs(): void {
    if (!this.#hasEnded) this.#runtime.executePendingJobs(JOBS_AT_ONCE).error?.dispose();
    this.#goOn();
  }

  /** Decides what comes after a batch of jobs, unless one of them was the script's last. */
  #goOn(): void {
    if (this.#hasEnded) return;
    if (this.#isLate()) {
      this.#end({ kind: "out-of-time" });
    } else if (this.#runtime.hasPendingJob()) {
      clearImmediate(this.#nextJobs);
      this.#nextJobs = setImmediate(() => {
        this.#runJobs();
      });
    } else if (this.#openCalls.size === 0 && this.#timers.size === 0) {
      this.#end({ kind: "stuck" });
    }
  }

  #end(how: ScriptEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#deadlineTimer);
    clearImmediate(this.#nextJobs);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    const { run } = this.#order;
    this.#send({ type: "ended", run, end: how });
    // Not at once: the guest may still be on the stack.
    setImmediate(() => {
      this.#send({ type: "freed", run, reusable: this.#free() && this.#isReusable(how) });
    });
  }

  /** Gives the memory back. A runtime that cannot be freed has left the module in doubt. */
  #free(): boolean {
    try {
      this.#guest?.dispose();
      this.#context.dispose();
      this.#runtime.dispose();
      return true;
    } catch {
      return false;
    }
  }

  /** A worker runs another script only after one that kept its time, and while its memory is small. */
  #isReusable(how: ScriptEnd): boolean {
    return how.kind !== "out-of-time" && this.#engine.size() <= MOST_KEPT_BYTES;
  }
}
