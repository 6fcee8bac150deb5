import { parseFencedReply } from "@promptfold/codemode";
import { agentConfig } from "@promptfold/fold";
import { systemScheduler } from "./scheduler.ts";
import { followAgents, type WorkerOptions } from "./follow-agents.ts";
import type { ModelAdapter } from "./models/model.ts";
import { ScriptLoop } from "./scripts/script-loop.ts";
import type { ScriptRunner } from "./scripts/script-runner.ts";
import type { CacheListener } from "./turns/cache-watch.ts";
import { TurnLoop } from "./turns/turn-loop.ts";

/** The processor of the turn loop: its cursor, its leases and the source of what it appends. */
export const TURN_PROCESSOR = "agent-llm-request";
/** The processor that runs the scripts of agents with the default reply format. */
export const SCRIPT_PROCESSOR = "agent-llm-request/scripts";

/** What the agent runtime works with. */
export interface RunAgentsOptions extends WorkerOptions {
  readonly model: ModelAdapter;
  /** Runs the scripts of agents whose replies nobody else interprets. */
  readonly runScript: ScriptRunner;
  /**
   * Told of each reply that this process recorded what the provider's cache gave of its request, beside what was predicted;
   * never of history, and not where the provider reports no cached tokens or counted no request before. What it throws
   * goes to `onProblem`. Default: nobody is told, and nothing is compared.
   */
  readonly onCacheReport?: CacheListener | undefined;
}

/**
 * Runs every agent under a prefix: the turn loop, and the scripts of agents that reply in the default format. Any
 * number of processes may run the same agents. Resolves when `signal` aborts; rejects when the journal fails for good.
 */
export async function runAgents(options: RunAgentsOptions): Promise<void> {
  const { model, runScript, onCacheReport, ...worker } = options;
  const { scheduler = systemScheduler } = worker;
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const followers = [
    followAgents({
      ...worker,
      signal,
      processor: TURN_PROCESSOR,
      createHandler: () => new TurnLoop({ model, scheduler, onCacheReport }),
    }),
    followAgents({
      ...worker,
      signal,
      processor: SCRIPT_PROCESSOR,
      createHandler: () =>
        new ScriptLoop({
          processor: SCRIPT_PROCESSOR,
          parseReply: parseFencedReply,
          interprets: (state) => agentConfig(state).interpretResponses,
          runScript,
        }),
    }),
  ];
  // One that fails takes the other down, and both have ended when this settles.
  const stopAll = (error: unknown): never => {
    failed.abort(error);
    throw error;
  };
  const results = await Promise.allSettled(followers.map((follower) => follower.catch(stopAll)));
  const failure = results.find((result) => result.status === "rejected");
  if (failure !== undefined) throw failure.reason;
}
