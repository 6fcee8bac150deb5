import { ActiveTask, type Task } from "./active-task.ts";
import { callHost } from "./call-host.ts";
import type { FromWorker } from "./messages.ts";
import { type ScriptWorker, startScriptWorker } from "./script-worker.ts";

/** `freeing`: between a script's end and `idle`, usually about a millisecond. */
export type ThreadState = "idle" | "running" | "freeing" | "gone";

/** How long a thread may take to load before it is given up. */
const LONGEST_LOAD_MS = 30_000;
/** How long it may take to read a script; some texts keep a parser busy for ever. */
const LONGEST_READ_MS = 10_000;
/** How long a thread may go on after the script's time: native calls in it do not look at the clock. */
const GRACE_MS = 500;
/** How long a thread may take to free a script's memory before it is replaced. */
const LONGEST_FREE_MS = 1_000;

/** One worker thread that runs scripts one after another. */
export class ScriptThread {
  #state: ThreadState = "idle";
  #active: ActiveTask | undefined;
  /** Ends what the thread does now, when that takes too long. */
  #timer: NodeJS.Timeout | undefined;
  readonly #changed: (state: "idle" | "gone") => void;
  readonly #worker: ScriptWorker;

  /** Starts a thread. `changed` is called when it has become idle or is gone; a thread that is gone stays so. */
  constructor(changed: (state: "idle" | "gone") => void) {
    this.#changed = changed;
    this.#worker = startScriptWorker({
      message: (message) => {
        this.#receive(message);
      },
      lost: (reason) => {
        this.#lose(reason);
      },
    });
  }

  get state(): ThreadState {
    return this.#state;
  }

  /** Has the thread, which must be idle, run a script. */
  start(task: Task): void {
    this.#state = "running";
    this.#active = new ActiveTask(task);
    task.cancel = () => void this.stop("The script was cancelled");
    this.#worker.hold(true);
    this.#allow(LONGEST_LOAD_MS, () => this.stop("The script could not be started: its thread did not load"));
    const { run, code, wrap, host, limits } = task;
    this.#worker.post({ type: "run", run, code, wrap, shape: JSON.stringify(host.shape), limits });
  }

  /** Ends the thread, and its script with this reason. */
  async stop(reason: string): Promise<void> {
    this.#active?.fail(reason);
    await this.#terminate();
  }

  #receive(message: FromWorker): void {
    const active = this.#active;
    if (message.run !== active?.task.run) return;
    switch (message.type) {
      case "received":
        this.#allow(LONGEST_READ_MS, () => this.stop("The script did not start: it takes too long to parse"));
        return;
      case "started":
        active.hasStarted = true;
        this.#allow(active.task.limits.timeoutMs + GRACE_MS, () => {
          active.end({ kind: "out-of-time" });
          return this.#terminate();
        });
        return;
      case "call":
        void this.#answer(active, message.call, message.target, message.text);
        return;
      case "log":
        active.log(message.level, message.text);
        return;
      case "omitted":
        active.omittedLogLines = message.lines;
        return;
      case "ended":
        this.#state = "freeing";
        active.end(message.end);
        this.#allow(LONGEST_FREE_MS, () => this.#terminate());
        return;
      case "freed":
        if (message.reusable) this.#becomeIdle();
        else void this.#terminate();
    }
  }

  async #answer(from: ActiveTask, call: number, target: number, text: string): Promise<void> {
    const { host, limits, run } = from.task;
    if (from.waiting.size >= limits.pendingCalls) return;
    const called = host.functions[target];
    from.waiting.set(call, called?.path ?? "host");
    const reply = await callHost(called, text, limits.replyCharacters);
    from.waiting.delete(call);
    // The script may have ended long ago.
    if (from === this.#active && this.#state === "running") {
      this.#worker.post({ type: "reply", run, call, ...reply });
    }
  }

  /** Gives the thread this long for its next step. */
  #allow(milliseconds: number, whenLate: () => Promise<void>): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void whenLate(), milliseconds);
  }

  #becomeIdle(): void {
    clearTimeout(this.#timer);
    this.#active = undefined;
    this.#state = "idle";
    this.#worker.hold(false);
    this.#changed("idle");
  }

  /** The thread is gone by itself. */
  #lose(reason: string): void {
    const error = `The sandbox lost the script: ${reason}`;
    if (this.#active?.hasStarted === true) this.#active.settle({ status: "unknown", error });
    else this.#active?.fail(error);
    clearTimeout(this.#timer);
    this.#state = "gone";
    this.#changed("gone");
  }

  async #terminate(): Promise<void> {
    clearTimeout(this.#timer);
    const isFirst = this.#state !== "gone";
    this.#state = "gone";
    const done = this.#worker.terminate();
    if (isFirst) this.#changed("gone");
    await done;
  }
}
