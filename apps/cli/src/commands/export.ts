import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { exportJsonl } from "@promptfold/journal";
import type { Command } from "commander";
import { journalFiles, openExistingJournal, requireStream } from "../input/journal-input.ts";
import { describeWriteError } from "../input/describe-write-error.ts";
import { refuseSource } from "../input/refuse-source.ts";
import { parseOffset } from "./parse-arguments.ts";
import { progressLine } from "../terminal/progress-line.ts";
import { say, writeOut } from "../terminal/write-out.ts";
import { formatCount } from "../text/format-count.ts";
import { describeProgress } from "../text/describe-progress.ts";

interface ExportOptions {
  readonly journal: string;
  readonly stream?: string;
  readonly out?: string;
  readonly through?: number;
}

/** `promptfold export`: a stream as JSONL. */
export function addExportCommand(program: Command): void {
  program
    .command("export")
    .summary("write a stream as JSONL")
    .description("Writes a stream as JSONL, an event a line, so that promptfold import restores it exactly.")
    .requiredOption("--journal <url>", "the journal, as in sqlite:.promptfold/demo.db")
    .option("--stream <path>", "the stream in it; may be left out when there is only one")
    .option("--through <offset>", "only events up to this offset", parseOffset)
    .option("--out <file>", "write to a file instead of standard output")
    .action(async ({ journal: url, stream: name, out, through }: ExportOptions) => {
      if (out !== undefined) refuseSource(out, journalFiles(url), "the export");
      const journal = await openExistingJournal(url);
      const progress = progressLine();
      try {
        const stream = await requireStream(journal, name);
        let events = 0;
        const lines = exportJsonl(journal, stream, {
          ...(through === undefined ? {} : { through }),
          onProgress: (come) => {
            ({ events } = come);
            // Lines of data on the same terminal would be torn apart.
            if (out !== undefined || !process.stdout.isTTY) progress.show(describeProgress(come, "written"));
          },
        });
        if (out === undefined) for await (const chunk of lines) await writeOut(chunk);
        else await writeFile(out, lines);
        progress.end();
        say(`${stream}: ${formatCount(events, "event")} exported`);
      } finally {
        progress.end();
        await journal.close();
      }
    });
}

async function writeFile(path: string, lines: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(lines, createWriteStream(path));
  } catch (error) {
    throw describeWriteError(path, error);
  }
}
