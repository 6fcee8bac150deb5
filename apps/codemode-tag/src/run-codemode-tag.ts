import {
  composeHandlers,
  followAgents,
  ScriptLoop,
  type ScriptRunner,
  type WorkerOptions,
} from "@promptfold/agent-llm-request";
import { parseCodemodeReply } from "@promptfold/codemode";
import type { Section } from "@promptfold/parser";
import { AgentAdoption, CODEMODE_TAG_PROCESSOR } from "./adopt-agent.ts";

/** What the codemode-tag worker works with. */
export interface RunCodemodeTagOptions extends WorkerOptions {
  /** The sections to re-add at birth: `output-formatting` alone. */
  readonly replyFormat: readonly Section[];
  readonly runScript: ScriptRunner;
}

/**
 * Follows every agent under a prefix, swaps the reply format of the newborn ones, interprets their `<codemode>`
 * replies, runs the scripts and reports how they ended. Resolves when `signal` aborts; rejects when the journal fails
 * for good.
 */
export async function runCodemodeTag(options: RunCodemodeTagOptions): Promise<void> {
  const { replyFormat, runScript, ...worker } = options;
  await followAgents({
    ...worker,
    processor: CODEMODE_TAG_PROCESSOR,
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
