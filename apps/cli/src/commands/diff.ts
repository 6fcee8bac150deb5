import type { Command } from "commander";
import { loadTokenCounter } from "@promptfold/check";
import { findMapping, mappingIds, requestedMapping } from "@promptfold/renderer";
import { compareRequests, type ReplayedRequest, type RequestComparison } from "@promptfold/replay";
import { UsageError } from "../errors.ts";
import { addEventOptions } from "../input/event-options.ts";
import { type EventSource, type EventSourceOptions, withEvents } from "../input/event-source.ts";
import { offsetOrTime, TIMES_HELP } from "../input/point-in-time.ts";
import { newestRequests, readRequest, requestBefore } from "../input/read-state.ts";
import { colorsFor } from "../terminal/colors.ts";
import { sayNote } from "../terminal/say-note.ts";
import { writeJson, writeOut } from "../terminal/write-out.ts";
import { changedSections } from "../text/changed-sections.ts";
import { changedSettings } from "../text/changed-settings.ts";
import { formatComparison } from "../text/format-comparison.ts";
import { terminalWidth } from "../text/layout.ts";
import { tellHowItWasMade, tellRequestNotes } from "../text/tell-request-notes.ts";
import { parsePositive } from "./parse-arguments.ts";

interface DiffOptions extends EventSourceOptions {
  readonly from?: number;
  readonly to?: number;
  readonly format?: string;
  readonly lines: number;
  readonly json?: true;
}

/** `promptfold diff`: what changed between two requests, and where the cache ends. */
export function addDiffCommand(program: Command): void {
  const command = program
    .command("diff")
    .summary("compare two requests: what changed, and where the cache ends")
    .description(
      "Compares two requests of one stream: how much of the later one the provider has already seen, where they part, " +
        "which event is the reason, which sections and settings changed, and what was added. A cache is not shared across " +
        "models and mappings, and some settings empty it, too: that is said first.",
    );
  addEventOptions(command)
    .option(
      "--from <offset|time>",
      "the earlier request: its offset, or the newest opened by a time (default: the newest but one)",
      offsetOrTime("request"),
    )
    .option("--to <offset|time>", "the later request (default: the newest)", offsetOrTime("request"))
    .option(
      "--format <mapping>",
      `compare both under this mapping, not under their own: ${mappingIds.join(", ")}`,
    )
    .option("--lines <count>", "show at most so many lines of each message", parsePositive, 12)
    .option("--json", "the comparison as JSON")
    .addHelpText(
      "after",
      `
Example:
  promptfold diff --journal sqlite:.promptfold/demo.db --stream /agents/demo/1 --from 15 --to 22

${TIMES_HELP}`,
    )
    .action(async (options: DiffOptions) => {
      await withEvents(options, async (source) => {
        const [earlier, later] = await readBoth(source, options);
        const comparison = compareRequests(earlier, later, { countTokens: await loadTokenCounter() });
        await writeComparison(earlier, later, comparison, options);
        tellNotes(source.name, earlier, later);
      });
    });
}

async function readBoth(
  source: EventSource,
  { format, ...options }: DiffOptions,
): Promise<readonly [earlier: ReplayedRequest, later: ReplayedRequest]> {
  // An unknown mapping is told before anything is read.
  const mapping = format === undefined ? undefined : findMapping(format).id;
  const to = options.to ?? (await newestRequests(source, 1))[0] ?? 0;
  const from = options.from ?? (await requestBefore(source, to));
  if (from > to) {
    throw new UsageError(
      `@${from} is later than @${to}; give the earlier offset to --from and the later to --to`,
    );
  }
  if (from === to) sayNote(`${source.name}@${to}`, "this is compared with itself: both ends name it");
  const earlier = await readRequest(source, from, { mapping });
  return [earlier, await readRequest(source, to, { mapping })];
}

async function writeComparison(
  earlier: ReplayedRequest,
  later: ReplayedRequest,
  comparison: RequestComparison,
  { json, lines }: DiffOptions,
): Promise<void> {
  const sections = changedSections(earlier.state, later.state);
  const settings = changedSettings(earlier, later);
  if (json === true) {
    await writeJson({
      from: earlier.offset,
      to: later.offset,
      earlier: labelOf(earlier),
      later: labelOf(later),
      ...comparison,
      sections,
      settings,
      added: later.messages.slice(comparison.sharedMessages),
    });
    return;
  }
  const text = formatComparison(earlier, later, {
    comparison,
    sections,
    settings,
    colors: colorsFor(process.stdout),
    width: terminalWidth(process.stdout),
    lines,
  });
  await writeOut(`${text}\n`);
}

/** What is to be known of a request that is compared. */
function labelOf(request: ReplayedRequest): object {
  const { opened, guarded, mapping, model, contractVersion, reconstructed } = request;
  return { opened, guarded, mapping, model, contractVersion, reconstructed };
}

function tellNotes(name: string, earlier: ReplayedRequest, later: ReplayedRequest): void {
  const requests = earlier.offset === later.offset ? [later] : [earlier, later];
  // What was passed over before the earlier one was passed over before the later one, too.
  if (requests.length > 1) tellHowItWasMade(name, earlier);
  tellRequestNotes(name, later);
  for (const { offset, mapping, state } of requests) {
    const own = requestedMapping(state);
    if (mapping !== own) sayNote(`${name}@${offset}`, `shown under ${mapping}, not under its own, ${own}`);
  }
}
