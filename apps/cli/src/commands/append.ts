import { basename } from "node:path";
import { birthEvents } from "@promptfold/agent-llm-request";
import { CONTEXT_ADDED, parseEvent, type Trust } from "@promptfold/contract";
import { contextItems, foldEvents, initialState } from "@promptfold/fold";
import type { JournalReader, NewEvent } from "@promptfold/journal";
import { updateEvents } from "@promptfold/parser";
import { explainPrompt, promptSections, requestParameters } from "@promptfold/templating";
import { type Command, Option } from "commander";
import { UsageError } from "../errors.ts";
import { openOrCreateJournal } from "../input/journal-input.ts";
import { layOutPrompt, refuseDuplicateKeys } from "../input/lay-out-prompt.ts";
import { addPromptOptions, type PromptOptions, readBoundPrompt } from "../input/prompt-options.ts";
import { parseNewEvent, readNewEvents } from "../input/read-new-events.ts";
import { sayNote } from "../terminal/say-note.ts";
import { say, writeJson, writeOut } from "../terminal/write-out.ts";
import { formatCount } from "../text/format-count.ts";
import { promptNotes } from "../text/prompt-notes.ts";

interface AppendOptions extends PromptOptions {
  readonly journal: string;
  readonly stream: string;
  readonly prompt?: string;
  readonly message?: string;
  readonly event?: string;
  readonly events?: string;
  readonly trust?: Trust;
  readonly json?: true;
}

/** `promptfold append`: a prompt file, a message, an event or a file of events into a stream. */
export function addAppendCommand(program: Command): void {
  const command = program
    .command("append")
    .summary("append a prompt file, a message or events to a stream")
    .description(
      "Appends one batch to a stream, whole or not at all. A prompt file gives birth to an agent in an empty stream; " +
        "in any other it updates the sections whose text has changed. The journal is made when it is missing.",
    )
    .requiredOption("--journal <url>", "the journal, as in sqlite:agents.db")
    .requiredOption("--stream <path>", "the stream, as in /agents/web/demo")
    .option("--prompt <file>", "a prompt file, as one keyed event per section")
    .option("--message <text>", "a user's message, from outside")
    .option("--event <json>", 'one event: {"type": "…", "payload": {…}, "idempotencyKey": "…"}')
    .option("--events <file.jsonl>", "one such event a line; - reads standard input")
    .addOption(
      new Option("--trust <trust>", "how far what is appended is trusted")
        .choices(["inside", "outside"])
        .default(undefined, "outside for --message, else inside"),
    );
  addPromptOptions(command)
    .option("--json", "the committed events as JSON")
    .addHelpText(
      "after",
      `
Examples:
  promptfold append --journal sqlite:agents.db --stream /agents/web/demo --prompt prompts/agent-system-prompt.md
  promptfold append --journal sqlite:agents.db --stream /agents/web/demo --message "What is open?"`,
    )
    .action(async (options: AppendOptions) => {
      requireOne(options);
      const journal = await openOrCreateJournal(options.journal);
      try {
        const events = await readEvents(journal, options);
        const trust = options.trust ?? (options.message === undefined ? "inside" : "outside");
        const processor = options.message === undefined ? "promptfold" : "user";
        const committed = await journal.as({ processor, trust }).append(options.stream, events);
        if (options.json === true) await writeJson(committed.map(({ payloadText: _, ...event }) => event));
        else await writeOut(`${describeCommitted(options.stream, committed)}\n`);
        for (const event of committed) tellWhenUseless(options.stream, event);
      } finally {
        await journal.close();
      }
    });
}

function requireOne({ prompt, message, event, events }: AppendOptions): void {
  const given = [prompt, message, event, events].filter((value) => value !== undefined).length;
  if (message?.trim() === "")
    throw new UsageError("--message: the message is blank, and no model would read it; give it a text");
  if (given === 1) return;
  throw new UsageError(
    `${given === 0 ? "nothing to append" : "too much to append at once"}; give one of --prompt, --message, --event and --events`,
  );
}

async function readEvents(journal: JournalReader, options: AppendOptions): Promise<readonly NewEvent[]> {
  const { stream, prompt, message, event, events } = options;
  if (events !== undefined) return readNewEvents(events);
  if (event !== undefined) return [parseNewEvent(event, "--event")];
  if (prompt !== undefined) return promptEvents(journal, stream, prompt, options);
  return [{ type: CONTEXT_ADDED, payload: { role: "user", content: message, actor: { type: "user" } } }];
}

async function promptEvents(
  journal: JournalReader,
  stream: string,
  path: string,
  options: PromptOptions,
): Promise<readonly NewEvent[]> {
  const prompt = await readBoundPrompt(path, options);
  const { file, bindings } = prompt;
  const promptName = path === "-" ? "prompt" : basename(path).replace(/\.md$/, "");
  const sections = promptSections(file, bindings, { fallbackKey: promptName });
  const layout = layOutPrompt(file, bindings);
  refuseDuplicateKeys(layout, promptName);
  promptNotes(prompt, { layout, spans: explainPrompt(file, bindings) }, options).forEach(say);
  let state = initialState;
  for await (const page of journal.read(stream)) state = foldEvents(page, { from: state }).state;
  if (!state.created) return birthEvents({ promptName, sections, parameters: requestParameters(file) });
  return updateEvents(sections, contextItems(state), { base: `update/${promptName}` });
}

function describeCommitted(stream: string, committed: readonly { readonly offset: number }[]): string {
  const [first, last] = [committed[0]?.offset, committed.at(-1)?.offset];
  if (first === undefined) return `${stream}: nothing to append, every section holds already`;
  const range = first === last ? `@${first}` : `@${first} to @${last}`;
  return `${stream}: ${formatCount(committed.length, "event")}, ${range}`;
}

/** An event that no fold will heed is a fact of the log all the same; the person who appended it may want to know. */
function tellWhenUseless(stream: string, event: Parameters<typeof parseEvent>[0]): void {
  const parsed = parseEvent(event);
  if (parsed.kind === "known") return;
  const issue = parsed.kind === "malformed" ? parsed.issues[0] : undefined;
  const why =
    issue === undefined
      ? `the type ${event.type} is unknown`
      : `its payload is malformed at ${issue.path}: ${issue.message}`;
  sayNote(`${stream}@${event.offset}`, `agents will skip this event, ${why}`);
}
