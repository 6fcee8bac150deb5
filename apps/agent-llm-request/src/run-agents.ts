import { parseFencedReply } from "@promptfold/codemode";
import { agentConfig } from "@promptfold/fold";
import type { Journal } from "@promptfold/journal";
import { type Clock, systemClock } from "./clock.ts";
import { type AgentProblem, followAgents } from "./follow-agents.ts";
import type { ModelAdapter } from "./models/model.ts";
import { ScriptLoop } from "./scripts/script-loop.ts";
import type { ScriptRunner } from "./scripts/script-runner.ts";
import { TurnLoop } from "./turns/turn-loop.ts";

/** The processor of the turn loop: its cursor, its leases and the source of what it appends. */
export const TURN_PROCESSOR = "agent-llm-request";
/** The processor that runs the scripts of agents with the default reply format. */
export const SCRIPT_PROCESSOR = "agent-llm-request/scripts";

/** What the agent runtime works with. */
export interface RunAgentsOptions {
  readonly journal: Journal;
  readonly model: ModelAdapter;
  /** Runs the scripts of agents whose replies nobody else interprets. */
  readonly runScript: ScriptRunner;
  /** The agents' streams. Default `/agents/`. */
  readonly prefix?: string | undefined;
  readonly clock?: Clock | undefined;
  /** How long a process that died keeps others from its agents, in milliseconds. Default 10,000. */
  readonly leaseTtlMs?: number | undefined;
  /** Told of an error that concerns one agent; its work is tried again later. Default: a line on stderr. */
  readonly onProblem?: ((problem: AgentProblem) => void) | undefined;
  /** Ends the runtime; open work is left to the next process. */
  readonly signal: AbortSignal;
}

/**
 * Runs every agent under a prefix: the turn loop, and the scripts of agents that reply in the default format. Any
 * number of processes may run the same agents. Resolves when `signal` aborts; rejects when the journal fails for good.
 */
export async function runAgents(options: RunAgentsOptions): Promise<void> {
  const {
    journal,
    model,
    runScript,
    prefix = "/agents/",
    clock = systemClock,
    leaseTtlMs,
    onProblem,
  } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const followers = [
    followAgents({
      journal,
      processor: TURN_PROCESSOR,
      prefix,
      clock,
      leaseTtlMs,
      onProblem,
      signal,
      createHandler: () => new TurnLoop({ model, clock }),
    }),
    followAgents({
      journal,
      processor: SCRIPT_PROCESSOR,
      prefix,
      clock,
      leaseTtlMs,
      onProblem,
      signal,
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
