import type { Command } from "commander";
import { type DemoOptions, runDemo } from "../demo/run-demo.ts";
import { DEFAULT_JOURNAL } from "../input/journal-input.ts";
import type { Outcome } from "../outcome.ts";
import { parsePositive } from "./parse-arguments.ts";

/** `promptfold demo`: the whole life of a prompt, printed. */
export function addDemoCommand(program: Command, outcome: Outcome): void {
  program
    .command("demo")
    .summary("show the whole life of a prompt, from a file to two model requests")
    .description(
      "Creates an agent from the default prompt in a journal, asks it something, lets the agent runtime and the " +
        "codemode-tag worker answer, and prints the stream, both requests, and how much of the second was in the first. " +
        "Needs no key: a scripted model answers from real data. Exits with 1 when the prefix law does not hold.",
    )
    .option("--journal <url>", "the journal to use; made when it is missing", DEFAULT_JOURNAL)
    .option("--model <name>", "call this model with OPENAI_API_KEY, instead of the scripted one")
    .option("--no-workers", "only append, and wait for promptfold run and promptfold worker elsewhere")
    .option("--message <text>", "what to ask", "How long is your prompt, and has anybody changed it?")
    .option("--timeout <seconds>", "how long to wait for the answer", parsePositive, 120)
    .addHelpText(
      "after",
      `
Examples:
  promptfold demo
  promptfold demo --journal sqlite:/tmp/demo.db
  OPENAI_API_KEY=… promptfold demo --model gpt-5-mini

Each worker in a process of its own:
  promptfold run --journal sqlite:/tmp/demo.db &
  promptfold worker --journal sqlite:/tmp/demo.db &
  promptfold demo --journal sqlite:/tmp/demo.db --no-workers`,
    )
    .action(async (options: DemoOptions) => {
      outcome.exitCode = await runDemo(options);
    });
}
