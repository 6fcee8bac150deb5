import type { Command } from "commander";
import { loadTokenCounter } from "@promptfold/check";
import { printable } from "@promptfold/contract";
import { findMapping, mappingIds, renderRequest } from "@promptfold/renderer";
import type { ReplayedMessages, ReplayedRequest } from "@promptfold/replay";
import { UsageError } from "../errors.ts";
import { addEventOptions } from "../input/event-options.ts";
import { type EventSourceOptions, withEvents } from "../input/event-source.ts";
import { newestRequests, readMessages, readRequest } from "../input/read-state.ts";
import { tellRequestNotes, tellUnknownMapping } from "../text/tell-request-notes.ts";
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
      `messages; body, for the provider's body as it was sent; or a mapping: ${mappingIds.join(", ")}`,
      "messages",
    )
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
      await withEvents(options, async (source) => {
        // An unknown mapping is told before anything is read.
        const mapping = isBody && options.format !== "body" ? findMapping(options.format).id : undefined;
        const at = options.at ?? (await newestRequests(source, 1))[0] ?? 0;
        if (isBody) {
          const request = await readRequest(source, at, { mapping });
          if (options.json === true) await writeJson(request.body);
          else await writeOut(`${JSON.stringify(request.body)}\n`);
          tellRequestNotes(source.name, request);
          tellUnknownMapping(source.name, request);
          if (source.stream === undefined) tellOfTheStream(source.name, request);
          return;
        }
        const request = await readMessages(source, at);
        if (options.json === true) await writeJson(requestJson(request));
        else await writeMessages(request, options.lines);
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

async function writeMessages(request: ReplayedMessages, lines: number | undefined): Promise<void> {
  const { messages, mapping } = request;
  const colors = colorsFor(process.stdout);
  await writeOut(`${formatMessages(messages, { colors, lines })}\n`);
  const countTokens = await loadTokenCounter();
  const tokens = textsOf(request).reduce((sum, text) => sum + countTokens(text), 0);
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
function tellOfTheStream(name: string, { mapping }: ReplayedRequest): void {
  if (!/^openai-(?:chat|responses)@/.test(mapping)) return;
  sayNote(name, `without its stream's path a body has no prompt_cache_key; name it with --stream <path>`);
}
