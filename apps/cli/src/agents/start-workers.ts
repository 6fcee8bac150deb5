import {
  type CacheListener,
  type ModelAdapter,
  runAgents,
  sandboxRunner,
  type ScriptRunner,
} from "@promptfold/agent-llm-request";
import { runCodemodeTag } from "@promptfold/codemode-tag";
import type { Journal } from "@promptfold/journal";
import { createSandbox } from "@promptfold/sandbox";
import { agentHost } from "./agent-host.ts";
import { readReplyFormat } from "./read-config-prompts.ts";

/** What to start, and for which agents. */
export interface WorkersOptions {
  readonly journal: Journal;
  /** The streams to work on: those whose names begin so. */
  readonly prefix: string;
  /** Starts the agent runtime with this model. */
  readonly model?: ModelAdapter | undefined;
  /** Told by the runtime what the provider's cache gave of each request. */
  readonly onCacheReport?: CacheListener | undefined;
  /** Starts the codemode-tag worker. */
  readonly codemodeTag?: boolean;
}

/** Workers that follow a journal in this process. */
export interface Workers {
  /** Rejects when one of them fails for good; resolves after `stop`. */
  readonly ended: Promise<void>;
  /** Ends them, and waits until they have given up what they held. */
  stop(): Promise<void>;
}

/** Starts workers in this process, each a subscriber of the journal with a cursor of its own. */
export function startWorkers({
  journal,
  prefix,
  model,
  onCacheReport,
  codemodeTag = false,
}: WorkersOptions): Workers {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sandbox = createSandbox();
  const runScript: ScriptRunner = sandboxRunner(sandbox, (stream) => agentHost(journal, stream));
  const running: Promise<void>[] = [];
  if (model !== undefined)
    running.push(runAgents({ journal, model, runScript, prefix, onCacheReport, signal }));
  if (codemodeTag) {
    running.push(runCodemodeTag({ journal, replyFormat: readReplyFormat(), runScript, prefix, signal }));
  }
  const ended = Promise.all(running).then(() => undefined);
  // Whoever awaits `ended` hears of a failure; nobody has to.
  ended.catch(() => undefined);
  return {
    ended,
    async stop() {
      stopping.abort();
      await Promise.allSettled(running);
      await sandbox.close();
    },
  };
}
