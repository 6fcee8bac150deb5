import type { Command } from "commander";
import { runChat } from "../chat/run-chat.ts";
import { DEFAULT_JOURNAL } from "../input/journal-input.ts";
import type { Outcome } from "../outcome.ts";

/** `promptfold chat`: talk with an agent in the terminal. */
export function addChatCommand(program: Command, outcome: Outcome): void {
  program
    .command("chat")
    .summary("talk with an agent in the terminal")
    .description(
      "Runs one agent in this process, runtime and codemode-tag worker, and lets you talk with it: a line is a message. " +
        "Without --stream a new agent is born from the default prompt. With OPENAI_API_KEY it calls a real model; " +
        "without, the scripted one, which can do one thing only: measure its own prompt. Lines may also come from a pipe. " +
        "A note says when the provider's cache gave markedly less than it should, as with `promptfold run`.",
    )
    .option("--journal <url>", "the journal; made when it is missing", DEFAULT_JOURNAL)
    .option("--stream <path>", "go on with this agent")
    .option("--model <name>", "the model for an agent that names none, or scripted")
    .addHelpText(
      "after",
      `
Examples:
  promptfold chat
  echo "How long is your prompt?" | promptfold chat --model scripted`,
    )
    .action(async (options: { journal: string; stream?: string; model?: string }) => {
      outcome.exitCode = await runChat(options);
    });
}
