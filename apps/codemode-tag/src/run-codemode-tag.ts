import {
  type AgentProblem,
  type Clock,
  composeHandlers,
  followAgents,
  ScriptLoop,
  type ScriptRunner,
} from "@promptfold/agent-llm-request";
import { parseCodemodeReply } from "@promptfold/codemode";
import type { Journal } from "@promptfold/journal";
import type { Section } from "@promptfold/parser";
import { AgentAdoption, CODEMODE_TAG_PROCESSOR } from "./adopt-agent.ts";

/** What the codemode-tag worker works with. */
export interface RunCodemodeTagOptions {
  readonly journal: Journal;
  /** The sections to re-add at birth: `output-formatting` alone. */
  readonly replyFormat: readonly Section[];
  readonly runScript: ScriptRunner;
  /** The agents' streams. Default `/agents/`. */
  readonly prefix?: string | undefined;
  readonly clock?: Clock | undefined;
  /** How long a process that died keeps others from its agents, in milliseconds. Default 10,000. */
  readonly leaseTtlMs?: number | undefined;
  /** Told of an error that concerns one agent; its work is tried again later. Default: a line on stderr. */
  readonly onProblem?: ((problem: AgentProblem) => void) | undefined;
  /** Ends the worker; open work is left to the next process. */
  readonly signal: AbortSignal;
}

/**
 * Follows every agent under a prefix, swaps the reply format of the newborn ones, interprets their `<codemode>`
 * replies, runs the scripts and reports how they ended. Resolves when `signal` aborts; rejects when the journal fails
 * for good.
 */
export async function runCodemodeTag(options: RunCodemodeTagOptions): Promise<void> {
  const {
    journal,
    replyFormat,
    runScript,
    prefix = "/agents/",
    clock,
    leaseTtlMs,
    onProblem,
    signal,
  } = options;
  await followAgents({
    journal,
    processor: CODEMODE_TAG_PROCESSOR,
    prefix,
    clock,
    leaseTtlMs,
    onProblem,
    signal,
    createHandler: () => {
      const adoption = new AgentAdoption(replyFormat);
      const scripts = new ScriptLoop({
        processor: CODEMODE_TAG_PROCESSOR,
        parseReply: parseCodemodeReply,
        interprets: () => adoption.isAdopted,
        runScript,
      });
      return composeHandlers(adoption, scripts);
    },
  });
}
