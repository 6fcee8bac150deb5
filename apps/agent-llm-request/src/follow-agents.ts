import type { Journal } from "@promptfold/journal";
import { AgentFollower, type FollowerContext } from "./agent-follower.ts";
import type { AgentHandler } from "./agent-handler.ts";
import { describeError } from "./describe-error.ts";
import { type Scheduler, systemScheduler } from "./scheduler.ts";

/** Where agents stand, unless a worker is told otherwise. */
export const DEFAULT_AGENTS_PREFIX = "/agents/";

/** What every worker on a journal is given. */
export interface WorkerOptions {
  readonly journal: Journal;
  /** The agents: streams whose names begin so. Default {@link DEFAULT_AGENTS_PREFIX}. */
  readonly prefix?: string | undefined;
  /** Default: the system's time. */
  readonly scheduler?: Scheduler | undefined;
  /** How long a process that died keeps others from its agents, in milliseconds. Default 10,000. */
  readonly leaseTtlMs?: number | undefined;
  /** Told of an error that concerns one agent. Default: a line on stderr. */
  readonly onProblem?: ((problem: AgentProblem) => void) | undefined;
  /** Ends the worker, which then resolves; work in progress is left for the next process. */
  readonly signal: AbortSignal;
}

/** What a processor does for the agents that it follows. */
export interface FollowAgentsOptions extends WorkerOptions {
  /** Names the processor's cursor, its leases and the source of what it appends. */
  readonly processor: string;
  /** Makes the handler of one agent. */
  readonly createHandler: (stream: string) => AgentHandler;
  /** Beyond this many, idle agents are forgotten; the next event of one folds its stream again. Default 1,000. */
  readonly agentsInMemory?: number | undefined;
}

/** An error that concerns one agent. */
export interface AgentProblem {
  readonly processor: string;
  readonly stream: string;
  readonly error: unknown;
  /** Whether the agent's work stopped there and is tried again; else nothing stopped. */
  readonly isRetried: boolean;
}

/** How long after it moved the cursor is saved: many events together, since each save waits for the disk. */
const SAVE_DELAY_MS = 200;

/**
 * Follows every agent under a prefix from the processor's saved cursor on, and lets a handler work for each. The
 * cursor only passes events whose consequences are in the journal, so a crash loses nothing: the next start sees
 * them again. Any number of processes may follow: a lease per agent makes one of them act.
 *
 * Resolves when `signal` aborts; rejects when the journal fails for good. What fails for one agent is told to
 * `onProblem` and tried again.
 */
export async function followAgents(options: FollowAgentsOptions): Promise<void> {
  const {
    journal,
    processor,
    prefix = DEFAULT_AGENTS_PREFIX,
    createHandler,
    scheduler = systemScheduler,
  } = options;
  const { leaseTtlMs = 10_000, agentsInMemory = 1_000, onProblem = reportProblem } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const saved = await journal.checkpoints.load(processor, { prefix });
  const cursor = new Cursor(saved, scheduler, (position) =>
    journal.checkpoints.save(processor, { prefix }, position),
  );
  const context: FollowerContext = {
    journal,
    processor,
    inside: journal.as({ processor, trust: "inside" }),
    outside: journal.as({ processor, trust: "outside" }),
    scheduler,
    leaseTtlMs,
    signal,
    onChange: (agent) => {
      cursor.changed(agent);
    },
    onProblem: (stream, error, isRetried) => {
      onProblem({ processor, stream, error, isRetried });
    },
    onFailure: (error) => {
      failed.abort(error);
    },
  };
  const agents = new Map<string, AgentFollower>();
  try {
    for await (const event of journal.subscribe({ prefix }, { after: saved, signal })) {
      const agent =
        agents.get(event.stream) ?? new AgentFollower(event.stream, createHandler(event.stream), context);
      // Set anew, so that the map's order is that of use.
      agents.delete(event.stream);
      agents.set(event.stream, agent);
      await agent.receive(event);
      cursor.passed(event.position);
      if (agents.size > agentsInMemory) forgetIdle(agents);
    }
  } finally {
    await Promise.all([...agents.values()].map((agent) => agent.stop()));
    await cursor.settle();
  }
  if (failed.signal.aborted) throw failed.signal.reason;
}

/** Forgets the agent that has been idle longest. */
function forgetIdle(agents: Map<string, AgentFollower>): void {
  for (const [stream, agent] of agents) {
    if (!agent.isIdle) continue;
    agents.delete(stream);
    return;
  }
}

function reportProblem({ processor, stream, error, isRetried }: AgentProblem): void {
  const then = isRetried ? "; it is tried again later" : "";
  console.error(`${processor}: ${stream}: ${describeError(error)}${then}`);
}

/** How far a processor has come, saved a moment after it moved. */
class Cursor {
  #saved: number;
  /** Position of the newest event received. */
  #received: number;
  /** Agents with work left, the one that has been busy longest first. */
  readonly #busy = new Set<AgentFollower>();
  readonly #scheduler: Scheduler;
  readonly #save: (position: number) => Promise<void>;
  #cancelTimer: (() => void) | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(saved: number, scheduler: Scheduler, save: (position: number) => Promise<void>) {
    this.#saved = saved;
    this.#received = saved;
    this.#scheduler = scheduler;
    this.#save = save;
  }

  passed(position: number): void {
    this.#received = position;
    this.#saveSoon();
  }

  changed(agent: AgentFollower): void {
    if (agent.busySince !== undefined) this.#busy.add(agent);
    else if (this.#busy.delete(agent)) this.#saveSoon();
  }

  /** Saves what there is to save, and waits for it. */
  async settle(): Promise<void> {
    this.#cancelTimer?.();
    this.#saveNow();
    await this.#saving;
  }

  #saveSoon(): void {
    this.#cancelTimer ??= this.#scheduler.at(this.#scheduler.now() + SAVE_DELAY_MS, () => {
      this.#cancelTimer = undefined;
      this.#saveNow();
    });
  }

  #saveNow(): void {
    const target = this.#target();
    if (target <= this.#saved) return;
    this.#saved = target;
    // A cursor that was not saved costs work that is done twice under the same keys, nothing else.
    this.#saving = this.#saving.then(() => this.#save(target)).catch(() => undefined);
  }

  /** The position before the oldest event that still has consequences to come. */
  #target(): number {
    const [longestBusy] = this.#busy;
    return longestBusy?.busySince === undefined ? this.#received : longestBusy.busySince - 1;
  }
}
