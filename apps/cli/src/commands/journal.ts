import type { VerifyProblem } from "@promptfold/journal";
import type { Command } from "commander";
import { openExistingJournal } from "../input/journal-input.ts";
import type { Outcome } from "../outcome.ts";
import { printable } from "../terminal/printable.ts";
import { progressLine } from "../terminal/progress-line.ts";
import { writeJson, writeOut } from "../terminal/write-out.ts";
import { formatCount } from "../text/format-count.ts";

interface VerifyOptions {
  readonly journal: string;
  readonly json?: true;
}

/** `promptfold journal`: commands on a journal as a whole. */
export function addJournalCommand(program: Command, outcome: Outcome): void {
  program
    .command("journal")
    .summary("verify a journal as a whole")
    .description("Commands on a journal as a whole.")
    .command("verify")
    .summary("check every law of the store on what a journal holds")
    .description(
      "Reads a whole journal and checks every law of the store: the files, offsets and times that ascend, keys that stand " +
        "once, sources, payloads, and that the journal's order holds every event once. Agents may go on meanwhile. Lists " +
        "what does not hold, and exits with 1 when there is such a thing.",
    )
    .requiredOption("--journal <url>", "the journal, as in sqlite:agents.db")
    .option("--json", "the report as JSON")
    .option("--debug", "add a stack trace to an error")
    .action(async ({ journal: url, json }: VerifyOptions) => {
      const journal = await openExistingJournal(url);
      const progress = progressLine();
      try {
        const report = await journal.verify({
          onProgress: ({ streams, events }) => {
            progress.show(`${formatCount(streams, "stream")}, ${formatCount(events, "event")} checked`);
          },
        });
        progress.end();
        const { streams, events, problems } = report;
        if (json === true) await writeJson(report);
        else {
          const held = `${formatCount(streams, "stream")}, ${formatCount(events, "event")}`;
          const verdict = problems.length === 0 ? "every law holds" : formatCount(problems.length, "problem");
          await writeOut(`${problems.map(problemLine).join("")}${held}: ${verdict}\n`);
        }
        outcome.exitCode = problems.length === 0 ? 0 : 1;
      } finally {
        progress.end();
        await journal.close();
      }
    });
}

function problemLine({ stream, offset, message }: VerifyProblem): string {
  const place = stream === undefined ? "journal" : `${stream}${offset === undefined ? "" : `@${offset}`}`;
  return `${printable(`${place}: ${message}`)}\n`;
}
