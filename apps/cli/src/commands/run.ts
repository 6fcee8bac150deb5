import { type CacheReport, DEFAULT_AGENTS_PREFIX, TURN_PROCESSOR } from "@promptfold/agent-llm-request";
import type { Command } from "commander";
import { CacheNotes } from "../agents/cache-notes.ts";
import { chooseModel } from "../agents/choose-model.ts";
import { serveWorkers } from "../agents/serve-workers.ts";
import { openOrCreateJournal, shownUrl } from "../input/journal-input.ts";
import { say } from "../terminal/write-out.ts";

interface RunOptions {
  readonly journal: string;
  readonly prefix: string;
  readonly model?: string;
  readonly quiet?: boolean;
}

/** `promptfold run`: the agent runtime on a journal. */
export function addRunCommand(program: Command): void {
  program
    .command("run")
    .summary("run the agents of a journal: open requests, call the model, record its replies")
    .description(
      "Follows every agent under a prefix, opens its requests when they are due, calls the model and records what it " +
        "replies. Any number of processes may run the same agents. With OPENAI_API_KEY it calls a model that speaks " +
        "OpenAI's Chat Completions (OPENAI_BASE_URL and PROMPTFOLD_MODEL say where and which); without, the scripted one. Requests under a mapping of " +
        "another API than Chat Completions fail before anything is sent.",
    )
    .requiredOption("--journal <url>", "the journal; made when it is missing")
    .option("--prefix <path>", "the agents: streams whose names begin so", DEFAULT_AGENTS_PREFIX)
    .option("--model <name>", "the model for agents that name none, or scripted")
    .option("--quiet", "say nothing of events and caches")
    .addHelpText(
      "after",
      `
A note tells of a request of which the provider's cache gave markedly less than predicted: at least 1,024 input tokens
and a quarter fewer, when the request that the prediction is made from opened at most five minutes before. Each agent is
told of once, until its cache gives what is predicted.`,
    )
    .action(async ({ journal: url, prefix, model: asked, quiet = false }: RunOptions) => {
      const { adapter: model, reason, isScripted } = await chooseModel(asked);
      const journal = await openOrCreateJournal(url);
      try {
        say(
          `running the agents under ${prefix} in ${shownUrl(url)} with the model ${reason}${isScripted ? "" : " for those that name none"}`,
        );
        const notes = new CacheNotes(url);
        const onCacheReport = (report: CacheReport): void => {
          const note = notes.on(report);
          if (note !== undefined) say(note);
        };
        await serveWorkers(journal, {
          prefix,
          model,
          processor: TURN_PROCESSOR,
          quiet,
          onCacheReport: quiet ? undefined : onCacheReport,
        });
      } finally {
        await journal.close();
      }
    });
}
