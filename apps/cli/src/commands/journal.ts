import { printable } from "@promptfold/contract";
import type { VerifyProblem } from "@promptfold/journal";
import type { Command } from "commander";
import { openExistingJournal, requireStream } from "../input/journal-input.ts";
import { keepState } from "../input/keep-state.ts";
import type { Outcome } from "../outcome.ts";
import { progressLine } from "../terminal/progress-line.ts";
import { say, writeJson, writeOut } from "../terminal/write-out.ts";
import { formatCount } from "../text/format-count.ts";
import { parseOffset } from "./parse-arguments.ts";

interface VerifyOptions {
  readonly journal: string;
  readonly json?: true;
}

/** `promptfold journal`: commands that keep a journal in good shape. */
export function addJournalCommand(program: Command, outcome: Outcome): void {
  const journal = program
    .command("journal")
    .summary("verify a journal, or keep an agent's state in it")
    .description("Commands that keep a journal in good shape.");
  addVerifyCommand(journal, outcome);
  addSnapshotCommand(journal);
}

function addVerifyCommand(parent: Command, outcome: Outcome): void {
  parent
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

interface SnapshotOptions {
  readonly journal: string;
  readonly stream?: string;
  readonly at?: number;
}

function addSnapshotCommand(parent: Command): void {
  parent
    .command("snapshot")
    .summary("keep an agent's state at an offset, so that reading from there on is quick")
    .description(
      "Folds a stream through an offset and keeps the state in the journal. request, diff, rules and state then begin at " +
        "the newest kept state before the offset that they are asked for. Losing one loses nothing: a state that " +
        "another fold or contract made is passed over, and the events are folded again.",
    )
    .requiredOption("--journal <url>", "the journal, as in sqlite:agents.db")
    .option("--stream <path>", "the agent's stream (default: the only one)")
    .option("--at <offset>", "at which offset (default: the end of the stream)", parseOffset)
    .option("--debug", "add a stack trace to an error")
    .action(async ({ journal: url, stream, at }: SnapshotOptions) => {
      const journal = await openExistingJournal(url);
      try {
        const name = await requireStream(journal, stream);
        const kept = await keepState(journal, name, at ?? (await journal.head(name)));
        say(`${name}: kept the state at @${kept.offset}, ${formatCount(kept.state.length, "character")}`);
      } finally {
        await journal.close();
      }
    });
}

function problemLine({ stream, offset, message }: VerifyProblem): string {
  const place = stream === undefined ? "journal" : `${stream}${offset === undefined ? "" : `@${offset}`}`;
  return `${printable(`${place}: ${message}`)}\n`;
}
