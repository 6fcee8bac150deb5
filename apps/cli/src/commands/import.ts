import { accessSync, constants, createReadStream, statSync } from "node:fs";
import { importJsonl, type Journal } from "@promptfold/journal";
import { STDIN_NAME } from "@promptfold/templating/node";
import type { Command } from "commander";
import { describeEventsError } from "../input/event-source.ts";
import { followRequests } from "../input/follow-requests.ts";
import { openOrCreateJournal } from "../input/journal-input.ts";
import { describeReadError } from "../input/read-text-input.ts";
import { progressLine } from "../terminal/progress-line.ts";
import { sayNote } from "../terminal/say-note.ts";
import { writeOut } from "../terminal/write-out.ts";
import { describeProgress } from "../text/describe-progress.ts";
import { hasCacheKey } from "../text/has-cache-key.ts";
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
        "or hold the beginning of the same file, which then goes on. The journal is made when it is missing. OpenAI's bodies " +
        "hold a prompt_cache_key that is a hash of the stream's path: import under the path that the stream was exported " +
        "from (a file does not tell it), or its requests are rebuilt with another key than was sent.",
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
        await tellOfTheKey(journal, stream);
      } catch (error) {
        throw describeEventsError(name, error);
      } finally {
        progress.end();
        await journal.close();
      }
    });
}

/** Says so where requests' bodies depend on the stream's path; the events are read until one is known. */
async function tellOfTheKey(journal: Journal, stream: string): Promise<void> {
  for await (const { offset, mapping } of followRequests(journal.read(stream))) {
    if (!hasCacheKey(mapping)) continue;
    sayNote(
      `${stream}@${offset}`,
      `the body of a request under ${mapping} has a prompt_cache_key made from the stream's path; ` +
        "it is the one that was sent only where the events were exported from a stream of this path",
    );
    return;
  }
}

/** Tells of a missing file before a journal is made for it. */
function requireReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw describeReadError(path, error);
  }
}
