import { formatDuration } from "@promptfold/codemode";
import type { ScriptSettlement } from "@promptfold/contract";
import { callHost } from "./call-host.ts";
import type { DescribedHost } from "./describe-host.ts";
import type { Limits } from "./limits.ts";
import type { FromWorker, ScriptEnd } from "./messages.ts";
import { readJson } from "./read-json.ts";
import type { LogLine, ScriptRun } from "./script-run.ts";
import { startScriptWorker } from "./script-worker.ts";

/** A script on its way through a thread. */
export interface Task {
  /** A number that no other task has. */
  run: number;
  code: string;
  wrap: boolean;
  host: DescribedHost;
  limits: Limits;
  resolve: (run: ScriptRun) => void;
  /** Set while a thread has the script: ends both. */
  cancel?: () => void;
}

/** `freeing`: between a script's end and `idle`, usually about a millisecond. */
export type ThreadState = "idle" | "running" | "freeing" | "gone";

/** One worker thread that runs scripts one after another. */
export interface ScriptThread {
  state: () => ThreadState;
  start: (task: Task) => void;
  /** Ends the thread, and its script with this reason. */
  stop: (reason: string) => Promise<void>;
}

/** How long a thread may take to load before it is given up. */
const mostMsToLoad = 30_000;
/** How long it may take to read a script; some texts keep a parser busy for ever. */
const mostMsToRead = 10_000;
/** How long a thread may go on after the script's time: native calls in it do not look at the clock. */
const graceMs = 500;
/** How long a thread may take to free a script's memory before it is replaced. */
const mostMsToFree = 1_000;

/** Starts a thread. `changed` is called when it has become idle or is gone; a thread that is gone stays so. */
export function startScriptThread(changed: (state: "idle" | "gone") => void): ScriptThread {
  let state: ThreadState = "idle";
  let active: ActiveTask | undefined;
  let timer: NodeJS.Timeout | undefined;
  const worker = startScriptWorker({ message: receive, lost });

  function start(task: Task): void {
    state = "running";
    active = createActiveTask(task);
    task.cancel = () => void stop("The script was cancelled");
    worker.hold(true);
    setTimer(mostMsToLoad, () => void stop("The script could not be started: its thread did not load"));
    const { run, code, wrap, host, limits } = task;
    worker.post({ type: "run", run, code, wrap, shape: JSON.stringify(host.shape), limits });
  }

  function receive(message: FromWorker): void {
    if (message.run !== active?.task.run) return;
    const { task } = active;
    switch (message.type) {
      case "received":
        setTimer(mostMsToRead, () => void stop("The script did not start: it takes too long to parse"));
        return;
      case "started":
        active.started = true;
        setTimer(task.limits.timeoutMs + graceMs, () => void finishAndTerminate({ kind: "out-of-time" }));
        return;
      case "call":
        void answer(active, message.call, message.target, message.text);
        return;
      case "log":
        active.logs.push({ level: message.level, text: readText(message.text) });
        return;
      case "omitted":
        active.omittedLogLines = message.lines;
        return;
      case "ended":
        state = "freeing";
        active.settle(settlementOf(message.end, active));
        setTimer(mostMsToFree, () => void terminate());
        return;
      case "freed":
        if (message.reusable) becomeIdle();
        else void terminate();
    }
  }

  async function answer(from: ActiveTask, call: number, target: number, text: string): Promise<void> {
    const { functions } = from.task.host;
    if (from.waiting.size >= from.task.limits.pendingCalls) return;
    from.waiting.set(call, functions[target]?.path ?? "host");
    const reply = await callHost(functions[target], text, from.task.limits.replyCharacters);
    from.waiting.delete(call);
    // The script may have ended long ago.
    if (from === active && state === "running") {
      worker.post({ type: "reply", run: from.task.run, call, ...reply });
    }
  }

  function setTimer(milliseconds: number, action: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  }

  function becomeIdle(): void {
    clearTimeout(timer);
    active = undefined;
    state = "idle";
    worker.hold(false);
    changed("idle");
  }

  function lost(reason: string): void {
    const error = `The sandbox lost the script: ${reason}`;
    active?.settle(
      active.started ? { status: "unknown", error } : { status: "failed", error, started: false },
    );
    clearTimeout(timer);
    state = "gone";
    changed("gone");
  }

  async function finishAndTerminate(end: ScriptEnd): Promise<void> {
    active?.settle(settlementOf(end, active));
    await terminate();
  }

  async function stop(error: string): Promise<void> {
    active?.settle({ status: "failed", error, started: active.started });
    await terminate();
  }

  async function terminate(): Promise<void> {
    clearTimeout(timer);
    const first = state !== "gone";
    state = "gone";
    const done = worker.terminate();
    if (first) changed("gone");
    await done;
  }

  return { state: () => state, start, stop };
}

interface ActiveTask {
  task: Task;
  started: boolean;
  logs: LogLine[];
  omittedLogLines: number;
  /** Host calls under way: number and path. */
  waiting: Map<number, string>;
  /** Resolves the task; only the first time counts. */
  settle: (settlement: ScriptSettlement) => void;
}

function createActiveTask(task: Task): ActiveTask {
  let settled = false;
  const active: ActiveTask = {
    task,
    started: false,
    logs: [],
    omittedLogLines: 0,
    waiting: new Map(),
    settle(settlement) {
      if (settled) return;
      settled = true;
      delete task.cancel;
      task.resolve({ settlement, logs: active.logs, omittedLogLines: active.omittedLogLines });
    },
  };
  return active;
}

function settlementOf(end: ScriptEnd, { task, waiting }: ActiveTask): ScriptSettlement {
  switch (end.kind) {
    case "returned":
      return readResult(end.text);
    case "refused":
      return { status: "failed", error: end.error, started: false };
    case "threw":
      return { status: "failed", error: end.error, started: true };
    case "out-of-time": {
      const paths = [...new Set(waiting.values())].slice(0, 5).join(", ");
      const waited = paths === "" ? "" : `. It was waiting for ${paths}, which may still take effect`;
      const error = `The script did not finish within its limit of ${formatDuration(task.limits.timeoutMs)}${waited}`;
      return { status: "failed", error, started: true };
    }
    case "stuck": {
      const error =
        "The script did not finish: it awaits a promise that nothing will settle, for no host call and no timer is left";
      return { status: "failed", error, started: true };
    }
  }
}

function readResult(text: string | undefined): ScriptSettlement {
  if (text === undefined) return { status: "succeeded" };
  try {
    return { status: "succeeded", result: readJson(text) };
  } catch {
    // Only a script that has replaced built-in functions gets here.
    return { status: "failed", error: "The script returned something that cannot be read", started: true };
  }
}

function readText(text: string): string {
  try {
    return String(readJson(text));
  } catch {
    return text;
  }
}
