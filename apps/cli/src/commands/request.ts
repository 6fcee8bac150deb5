import type { Command } from "commander";
import { loadTokenCounter } from "@promptfold/check";
import { printable } from "@promptfold/contract";
import { findMapping, mappingIds, renderRequest } from "@promptfold/renderer";
import type { ReplayedCompaction, ReplayedMessages, ReplayedRequest } from "@promptfold/replay";
import { UsageError } from "../errors.ts";
import { addEventOptions } from "../input/event-options.ts";
import { type EventSource, type EventSourceOptions, withEvents } from "../input/event-source.ts";
import { newestRequests, readMessages, readRequest, readSummaryCall } from "../input/read-state.ts";
import { tellRequestNotes, tellUnknownMapping, tellUnnamedModel } from "../text/tell-request-notes.ts";
import { colorsFor } from "../terminal/colors.ts";
import { sayNote } from "../terminal/say-note.ts";
import { say, writeJson, writeOut } from "../terminal/write-out.ts";
import { formatCount } from "../text/format-count.ts";
import { formatMessages } from "../text/format-messages.ts";
import { parseOffset, parsePositive } from "./parse-arguments.ts";

interface RequestOptions extends EventSourceOptions {
  readonly at?: number;
  readonly format: string;
  readonly lines?: number;
  readonly summaryCall?: true;
  readonly json?: true;
}

/** `promptfold request`: the request at an offset, as messages or as a provider's body. */
export function addRequestCommand(program: Command): void {
  const command = program
    .command("request")
    .summary("rebuild a past request from its offset")
    .description(
      "Rebuilds the request that was opened at an offset, from the events through it. At the offset of any other " +
        "event it shows what a request there would have been. Messages are the same under every mapping, so they are shown " +
        "of a request too that was made for one which this release does not ship; --format <mapping> shows its body.",
    );
  addEventOptions(command)
    .option("--at <offset>", "where the request was opened (default: the newest request)", parseOffset)
    .option(
      "--format <format>",
      "messages; body, for the provider's body as it was sent, without what asks for a streamed reply (stream, " +
        `stream_options); or a mapping: ${mappingIds.join(", ")}`,
      "messages",
    )
    .option("--summary-call", "at the offset of a summary: the call that wrote it, its instruction last")
    .option("--lines <count>", "show at most so many lines of each message", parsePositive)
    .option("--json", "the messages as JSON, with all that replay found out")
    .addHelpText(
      "after",
      `
Examples:
  promptfold request --journal sqlite:.promptfold/demo.db --stream /agents/demo/1 --at 15
  promptfold request --events export.jsonl --stream /agents/demo/1 --at 15 --format body | jq .messages`,
    )
    .action(async (options: RequestOptions) => {
      const isBody = options.format !== "messages";
      if (isBody && options.lines !== undefined) {
        throw new UsageError("--lines cuts messages; a provider's body is shown whole, so leave it out");
      }
      if (options.summaryCall === true && options.at === undefined) {
        throw new UsageError("--summary-call needs --at, the offset of the summary");
      }
      await withEvents(options, async (source) => {
        // An unknown mapping is told before anything is read.
        const mapping = isBody && options.format !== "body" ? findMapping(options.format).id : undefined;
        if (options.summaryCall === true && options.at !== undefined) {
          await writeSummaryCall(await readSummaryCall(source, options.at, { mapping }), source, options);
          return;
        }
        const at = options.at ?? (await newestRequests(source, 1))[0] ?? 0;
        if (isBody) {
          const request = await readRequest(source, at, { mapping });
          await writeBody(request, options);
          tellRequestNotes(source.name, request);
          tellUnknownMapping(source.name, request);
          if (options.format === "body" && request.opened) tellUnnamedModel(source.name, request);
          if (source.stream === undefined) tellOfTheStream(source.name, request);
          return;
        }
        const request = await readMessages(source, at);
        if (options.json === true) await writeJson(requestJson(request));
        else await writeMessages(request, textsOf(request), options);
        tellRequestNotes(source.name, request);
        tellUnknownMapping(source.name, request);
      });
    });
}

function requestJson(request: ReplayedMessages): unknown {
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

/** The call that a summary came from, in the way that a request is shown. */
async function writeSummaryCall(
  call: ReplayedCompaction,
  { name, stream }: EventSource,
  options: RequestOptions,
): Promise<void> {
  const { offset, requestOffset, instruction, replacesHistoryThrough, mapping, messages, blocks } = call;
  if (options.format !== "messages") {
    await writeBody(call, options);
    if (options.format === "body") tellUnnamedModel(name, { ...call, offset: requestOffset });
    if (stream === undefined) tellOfTheStream(name, call);
  } else if (options.json === true) {
    await writeJson({ offset, requestOffset, replacesHistoryThrough, mapping, instruction, messages });
  } else {
    await writeMessages(
      call,
      blocks.map(({ text }) => text),
      options,
    );
  }
  sayNote(
    `${name}@${offset}`,
    `shown is the call that wrote this summary: the request @${requestOffset} again, and the instruction`,
  );
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
function textsOf({ state, messages, mapping }: ReplayedMessages): readonly string[] {
  if (!mappingIds.includes(mapping)) return messages.map(({ content }) => content);
  return renderRequest(state).blocks.map(({ text }) => text);
}

/** A file does not say which stream its events are from, and OpenAI's bodies hold a hash of that. */
function tellOfTheStream(name: string, { mapping }: Pick<ReplayedRequest, "mapping">): void {
  if (!/^openai-(?:chat|responses)@/.test(mapping)) return;
  sayNote(name, `without its stream's path a body has no prompt_cache_key; name it with --stream <path>`);
}
