import type { Command } from "commander";

/** Adds the options that say where a command's events come from. */
export function addEventOptions(command: Command): Command {
  return command
    .option("--journal <url>", "the journal, as in sqlite:.promptfold/demo.db")
    .option(
      "--stream <path>",
      "the stream in it, or the one that a file was exported from; may be left out when a journal has only one",
    )
    .option("--events <file.jsonl>", "a JSONL file in place of a journal; - reads standard input");
}
