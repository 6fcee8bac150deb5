import type { Command } from "commander";
import { loadTokenCounter } from "@promptfold/check";
import { printable } from "@promptfold/contract";
import { findMapping, mappingIds } from "@promptfold/renderer";
import type { ReplayedRequest } from "@promptfold/replay";
import { UsageError } from "../errors.ts";
import { addEventOptions } from "../input/event-options.ts";
import { type EventSourceOptions, withEvents } from "../input/event-source.ts";
import { newestRequests, readRequest } from "../input/read-state.ts";
import { tellReplayedFrom } from "../text/tell-replayed-from.ts";
import { colorsFor } from "../terminal/colors.ts";
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
        "event it shows what a request there would have been.",
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
        const request = await readRequest(source, at, { mapping });
        if (options.json === true) await writeJson(isBody ? request.body : requestJson(request));
        else if (isBody) await writeOut(`${JSON.stringify(request.body)}\n`);
        else await writeMessages(request, options.lines);
        tellWhatToKnow(source.name, request);
        if (isBody && source.stream === undefined) tellOfTheStream(source.name, request);
      });
    });
}

function requestJson(request: ReplayedRequest): unknown {
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

async function writeMessages(
  { messages, blocks, mapping }: ReplayedRequest,
  lines: number | undefined,
): Promise<void> {
  const colors = colorsFor(process.stdout);
  await writeOut(`${formatMessages(messages, { colors, lines })}\n`);
  const countTokens = await loadTokenCounter();
  const tokens = blocks.reduce((sum, { text }) => sum + countTokens(text), 0);
  say(`\n${formatCount(messages.length, "message")}, ${formatCount(tokens, "token")}, mapping ${mapping}`);
}

/** A file does not say which stream its events are from, and OpenAI's bodies hold a hash of that. */
function tellOfTheStream(name: string, { mapping }: ReplayedRequest): void {
  if (!/^openai-(?:chat|responses)@/.test(mapping)) return;
  say(
    `note: ${name}: without its stream's path a body has no prompt_cache_key; name it with --stream <path>`,
  );
}

function tellWhatToKnow(name: string, request: ReplayedRequest): void {
  const place = `${name}@${request.offset}`;
  if (request.guarded)
    say(`note: ${place}: this request was asked for and not opened; shown is the state so far`);
  else if (!request.opened) say(`note: ${place}: no request was opened here; shown is the state so far`);
  else if (request.reconstructed) {
    const { contractVersion } = request;
    const maker =
      contractVersion === undefined ? "an unknown contract" : `contract ${printable(contractVersion)}`;
    say(`note: ${place}: made under ${maker}; these bytes are reconstructed by the current one`);
  }
  for (const { offset, type, kind } of request.skipped)
    say(`note: ${name}@${offset}: ${kind} event ${printable(type)} skipped`);
  tellReplayedFrom(name, request);
}
