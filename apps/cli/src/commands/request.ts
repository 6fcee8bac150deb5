import type { Command } from "commander";
import { loadTokenCounter } from "@promptfold/check";
import { printable } from "@promptfold/contract";
import { askForSummary } from "@promptfold/fold";
import { findMapping, mappingIds, renderRequest } from "@promptfold/renderer";
import type {
  ReplayedCompaction,
  ReplayedCompactionMessages,
  ReplayedMessages,
  ReplayedRequest,
} from "@promptfold/replay";
import { UsageError } from "../errors.ts";
import { addEventOptions } from "../input/event-options.ts";
import { type EventSource, type EventSourceOptions, withEvents } from "../input/event-source.ts";
import { offsetOrTime, PointInTime, TIMES_HELP } from "../input/point-in-time.ts";
import {
  newestRequests,
  readMessages,
  readRequest,
  readSummaryCall,
  readSummaryMessages,
} from "../input/read-state.ts";
import { tellRequestNotes, tellUnknownMapping, tellUnnamedModel } from "../text/tell-request-notes.ts";
import { colorsFor } from "../terminal/colors.ts";
import { sayNote } from "../terminal/say-note.ts";
import { say, writeJson, writeOut } from "../terminal/write-out.ts";
import { formatCount } from "../text/format-count.ts";
import { formatMessages } from "../text/format-messages.ts";
import { hasCacheKey } from "../text/has-cache-key.ts";
import { writeRequests } from "./list-requests.ts";
import { parsePositive } from "./parse-arguments.ts";

interface RequestOptions extends EventSourceOptions {
  /** An offset, once the events are open. */
  readonly at?: number;
  readonly list?: true;
  readonly format: string;
  readonly lines?: number;
  readonly summaryCall?: true;
  readonly json?: true;
}

/** `promptfold request`: the request at an offset or a time, as messages or as a provider's body; or which there are. */
export function addRequestCommand(program: Command): void {
  const command = program
    .command("request")
    .summary("list a stream's requests, or rebuild one from its offset or time")
    .description(
      "Rebuilds the request that was opened at an offset, from the events through it. At the offset of any other " +
        "event it shows what a request there would have been. Messages are the same under every mapping, so they are shown " +
        "of a request too that was made for one which this release does not ship; --format <mapping> shows its body. " +
        "--list says which requests there are.",
    );
  addEventOptions(command)
    .option(
      "--at <offset|time>",
      "where the request was opened, or the newest one opened by a time (default: the newest request)",
      offsetOrTime("request"),
    )
    .option(
      "--list",
      "a line for each request that was opened: offset, time, model, mapping, how it ended, the tokens reported",
    )
    .option(
      "--format <format>",
      "messages; body, for the provider's body as it was sent, without what asks for a streamed reply (stream, " +
        `stream_options); or a mapping: ${mappingIds.join(", ")}`,
      "messages",
    )
    .option("--summary-call", "at the offset of a summary: the call that wrote it, its instruction last")
    .option("--lines <count>", "show at most so many lines of each message", parsePositive)
    .option("--json", "the messages as JSON, with all that replay found out; the list as JSON")
    .addHelpText(
      "after",
      `
${TIMES_HELP}

Examples:
  promptfold request --journal sqlite:.promptfold/demo.db --stream /agents/demo/1 --list
  promptfold request --journal sqlite:.promptfold/demo.db --stream /agents/demo/1 --at 15
  promptfold request --events export.jsonl --at 2026-11-24T08:30Z
  promptfold request --events export.jsonl --stream /agents/demo/1 --at 15 --format body | jq .messages`,
    )
    .action(async (options: RequestOptions) => {
      requireOptionsThatAgree(options);
      // An unknown mapping is told before anything is read.
      const { format } = options;
      const mapping = ["messages", "body"].includes(format) ? undefined : findMapping(format).id;
      await withEvents(options, async (source) => {
        if (options.list === true) {
          await writeRequests(source, { isJson: options.json === true });
          return;
        }
        const at = options.at ?? (await newestRequests(source, 1))[0] ?? 0;
        if (options.summaryCall === true) await showSummaryCall(source, at, { ...options, mapping });
        else await showRequest(source, at, { ...options, mapping });
      });
    });
}

function requireOptionsThatAgree(options: RequestOptions): void {
  const { at, list, format, lines, summaryCall } = options;
  if (list === true) {
    const others = { at, format: format === "messages" ? undefined : format, lines, summaryCall };
    const [other] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (other === undefined) return;
    const name = other === "summaryCall" ? "summary-call" : other;
    throw new UsageError(`--list shows all requests, --${name} belongs to one; leave one of them out`);
  }
  if (format !== "messages" && lines !== undefined)
    throw new UsageError("--lines cuts messages; a provider's body is shown whole, so leave it out");
  // A time stands for a request, and no request is a summary.
  if (summaryCall === true && (at === undefined || (at as unknown) instanceof PointInTime))
    throw new UsageError("--summary-call needs --at with the offset of the summary");
}

interface ShowOptions extends RequestOptions {
  /** The mapping that was asked for by its name. */
  readonly mapping: string | undefined;
}

async function showRequest(source: EventSource, at: number, options: ShowOptions): Promise<void> {
  const { name, stream } = source;
  if (options.format !== "messages") {
    const request = await readRequest(source, at, options);
    await writeBody(request, options);
    tellRequestNotes(name, request);
    tellUnknownMapping(name, request);
    if (options.format === "body" && request.opened) tellUnnamedModel(name, request);
    if (stream === undefined) tellOfTheStream(name, request);
    return;
  }
  const request = await readMessages(source, at);
  if (options.json === true) await writeJson(requestJson(request));
  else await writeMessages(request, textsOf(request), options);
  tellRequestNotes(name, request);
  tellUnknownMapping(name, request);
}

/** The call that a summary came from, in the way that a request is shown, with what there is to know of that request. */
async function showSummaryCall(source: EventSource, at: number, options: ShowOptions): Promise<void> {
  const { name, stream } = source;
  if (options.format !== "messages") {
    const call = await readSummaryCall(source, at, options);
    await writeBody(call, options);
    tellSummaryCall(name, call);
    if (options.format === "body") tellUnnamedModel(name, { offset: call.requestOffset, model: call.model });
    if (stream === undefined) tellOfTheStream(name, call);
    return;
  }
  const call = await readSummaryMessages(source, at);
  const asked = { ...call, state: askForSummary(call.state, call.instruction) };
  if (options.json === true) await writeJson(summaryCallJson(call));
  else await writeMessages(call, textsOf(asked), options);
  tellSummaryCall(name, call);
}

function tellSummaryCall(name: string, call: ReplayedCompactionMessages | ReplayedCompaction): void {
  const { offset, requestOffset } = call;
  sayNote(
    `${name}@${offset}`,
    `shown is the call that wrote this summary: the request @${requestOffset} again, and the instruction`,
  );
  const measured = { ...call, offset: requestOffset };
  tellRequestNotes(name, measured);
  tellUnknownMapping(name, measured);
}

function summaryCallJson(call: ReplayedCompactionMessages): unknown {
  const { offset, requestOffset, replacesHistoryThrough, instruction } = call;
  return { offset, requestOffset, replacesHistoryThrough, instruction, ...requestJson(call) };
}

function requestJson(request: ReplayedMessages): object {
  const { offset, opened, guarded, mapping, contractVersion, reconstructed, messages } = request;
  const { skipped, skippedCount, replayedFrom } = request;
  return {
    offset,
    opened,
    guarded,
    mapping,
    contractVersion,
    reconstructed,
    messages,
    skipped,
    skippedCount,
    replayedFrom,
  };
}

async function writeBody({ body }: { readonly body: unknown }, { json }: RequestOptions): Promise<void> {
  if (json === true) await writeJson(body);
  else await writeOut(`${JSON.stringify(body)}\n`);
}

/** The messages; `texts` is what the model reads of them, to be counted. */
async function writeMessages(
  { messages, mapping }: Pick<ReplayedMessages, "messages" | "mapping">,
  texts: readonly string[],
  { lines }: RequestOptions,
): Promise<void> {
  const colors = colorsFor(process.stdout);
  await writeOut(`${formatMessages(messages, { colors, lines })}\n`);
  const countTokens = await loadTokenCounter();
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  say(
    `\n${formatCount(messages.length, "message")}, ${formatCount(tokens, "token")}, mapping ${printable(mapping)}`,
  );
}

/** What the model reads; of a mapping that is not known, the messages without what it may have put before them. */
function textsOf({
  state,
  messages,
  mapping,
}: Pick<ReplayedMessages, "state" | "messages" | "mapping">): readonly string[] {
  if (!mappingIds.includes(mapping)) return messages.map(({ content }) => content);
  return renderRequest(state).blocks.map(({ text }) => text);
}

/** A file does not say which stream its events are from, and OpenAI's bodies hold a hash of that. */
function tellOfTheStream(name: string, { mapping }: Pick<ReplayedRequest, "mapping">): void {
  if (!hasCacheKey(mapping)) return;
  sayNote(name, `without its stream's path a body has no prompt_cache_key; name it with --stream <path>`);
}
