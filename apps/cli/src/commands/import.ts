import { accessSync, constants, createReadStream, statSync } from "node:fs";
import { importJsonl } from "@promptfold/journal";
import { STDIN_NAME } from "@promptfold/templating/node";
import type { Command } from "commander";
import { describeEventsError } from "../input/event-source.ts";
import { openOrCreateJournal } from "../input/journal-input.ts";
import { describeReadError } from "../input/read-text-input.ts";
import { progressLine } from "../terminal/progress-line.ts";
import { sayNote } from "../terminal/say-note.ts";
import { writeOut } from "../terminal/write-out.ts";
import { describeProgress } from "../text/describe-progress.ts";
import { formatCount } from "../text/format-count.ts";

interface ImportOptions {
  readonly journal: string;
  readonly stream: string;
}

/** `promptfold import`: JSONL into an empty stream, with offsets, times and sources as they were. */
export function addImportCommand(program: Command): void {
  program
    .command("import")
    .summary("restore a stream from JSONL")
    .description(
      "Restores a stream from JSONL with offsets, times, keys and sources exactly as they were. The stream must be empty, " +
        "or hold the beginning of the same file, which then goes on. The journal is made when it is missing.",
    )
    .argument("<file.jsonl>", "the file; - reads standard input")
    .requiredOption("--journal <url>", "the journal, as in sqlite:agents.db")
    .requiredOption("--stream <path>", "the stream, as in /agents/web/demo")
    .action(async (path: string, { journal: url, stream }: ImportOptions) => {
      const name = path === "-" ? STDIN_NAME : path;
      if (path !== "-") requireReadable(path);
      const journal = await openOrCreateJournal(url);
      const progress = progressLine();
      try {
        const chunks = path === "-" ? process.stdin : createReadStream(path);
        const size = path === "-" ? undefined : statSync(path).size;
        const { events, alreadyThere, torn } = await importJsonl(journal, stream, chunks, {
          onProgress: (come) => {
            progress.show(describeProgress(come, "imported", size));
          },
        });
        progress.end();
        const there = alreadyThere === 0 ? "" : `, ${formatCount(alreadyThere)} were there already`;
        await writeOut(`${stream}: ${formatCount(events, "event")} imported${there}\n`);
        if (torn !== undefined)
          sayNote(`${name}:${torn.line}`, `the last line was never written to its end; it is skipped`);
      } catch (error) {
        throw describeEventsError(name, error);
      } finally {
        progress.end();
        await journal.close();
      }
    });
}

/** Tells of a missing file before a journal is made for it. */
function requireReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw describeReadError(path, error);
  }
}
