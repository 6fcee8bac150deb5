import { DEFAULT_AGENTS_PREFIX } from "@promptfold/agent-llm-request";
import { CODEMODE_TAG_PROCESSOR } from "@promptfold/codemode-tag";
import type { Command } from "commander";
import { serveWorkers } from "../agents/serve-workers.ts";
import { openOrCreateJournal, shownUrl } from "../input/journal-input.ts";
import { say } from "../terminal/write-out.ts";

interface WorkerOptions {
  readonly journal: string;
  readonly prefix: string;
  readonly quiet?: boolean;
}

/** `promptfold worker`: the codemode-tag worker on a journal. */
export function addWorkerCommand(program: Command): void {
  program
    .command("worker")
    .summary("run the codemode-tag worker: its reply format, and the scripts of replies")
    .description(
      "Follows every agent under a prefix: gives newborn ones the <codemode> reply format, runs the scripts of their " +
        "replies in a sandbox and reports how they ended. A script reaches its own stream and the installed prompts, to " +
        "read them, and nothing else.",
    )
    .requiredOption("--journal <url>", "the journal; made when it is missing")
    .option("--prefix <path>", "the agents: streams whose names begin so", DEFAULT_AGENTS_PREFIX)
    .option("--quiet", "say nothing of events")
    .action(async ({ journal: url, prefix, quiet = false }: WorkerOptions) => {
      const journal = await openOrCreateJournal(url);
      try {
        say(`the codemode-tag worker follows the agents under ${prefix} in ${shownUrl(url)}`);
        await serveWorkers(journal, { prefix, codemodeTag: true, processor: CODEMODE_TAG_PROCESSOR, quiet });
      } finally {
        await journal.close();
      }
    });
}
