import type { Task } from "./active-task.ts";
import { failedBeforeStart } from "./script-run.ts";
import { ScriptThread } from "./script-thread.ts";

/** Threads that start when tasks need them, up to a number, and the tasks that wait for one. */
export class ThreadPool {
  readonly #concurrency: number;
  readonly #threads = new Set<ScriptThread>();
  readonly #queue: Task[] = [];

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** Runs a task as soon as a thread is free for it; the signal ends it, also while it waits. */
  enqueue(task: Task, signal: AbortSignal | undefined): void {
    const abort = (): void => {
      const at = this.#queue.indexOf(task);
      if (at === -1) {
        task.cancel?.();
      } else {
        this.#queue.splice(at, 1);
        task.resolve(failedBeforeStart("The script was cancelled"));
      }
    };
    const { resolve } = task;
    task.resolve = (run) => {
      signal?.removeEventListener("abort", abort);
      resolve(run);
    };
    signal?.addEventListener("abort", abort);
    this.#queue.push(task);
    this.#dispatch();
  }

  /** Ends every task and thread, with this reason. */
  async stop(reason: string): Promise<void> {
    for (const task of this.#queue.splice(0)) task.resolve(failedBeforeStart(reason));
    await Promise.all([...this.#threads].map((thread) => thread.stop(reason)));
  }

  #dispatch(): void {
    for (;;) {
      const [idle] = this.#threadsIn("idle");
      const soonIdle = this.#threadsIn("freeing").length;
      if (!idle && (this.#threads.size >= this.#concurrency || this.#queue.length <= soonIdle)) return;
      const task = this.#queue.shift();
      if (!task) return;
      try {
        (idle ?? this.#addThread()).start(task);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        task.resolve(failedBeforeStart(`No worker thread could be started: ${reason}`));
      }
    }
  }

  #threadsIn(state: ScriptThread["state"]): ScriptThread[] {
    return [...this.#threads].filter((thread) => thread.state === state);
  }

  #addThread(): ScriptThread {
    const thread = new ScriptThread((state) => {
      if (state === "gone") this.#threads.delete(thread);
      this.#dispatch();
    });
    this.#threads.add(thread);
    return thread;
  }
}
