import { type ContextItem, isCompaction } from "@promptfold/contract";
import { agentConfig, type AgentState, contextItems, presence, saveState } from "@promptfold/fold";
import type { Command } from "commander";
import { addEventOptions } from "../input/event-options.ts";
import { type EventSourceOptions, withEvents } from "../input/event-source.ts";
import { offsetOrTime, TIMES_HELP } from "../input/point-in-time.ts";
import { type ReadState, readState } from "../input/read-state.ts";
import { colorsFor } from "../terminal/colors.ts";
import { oneLine } from "../terminal/one-line.ts";
import { writeJson, writeOut } from "../terminal/write-out.ts";
import { formatCount } from "../text/format-count.ts";
import { formatTable } from "../text/format-table.ts";
import { tellSkipped } from "../text/skipped-notes.ts";
import { tellReplayedFrom } from "../text/tell-replayed-from.ts";

interface StateOptions extends EventSourceOptions {
  readonly at?: number;
  readonly json?: true;
}

/** `promptfold state`: the folded state of an agent. */
export function addStateCommand(program: Command): void {
  const command = program
    .command("state")
    .summary("show an agent as its events made it")
    .description("Folds a stream through an offset and shows the agent's state there.");
  addEventOptions(command)
    .option(
      "--at <offset|time>",
      "at which offset, or at the newest event by a time (default: the end of the stream)",
      offsetOrTime("event"),
    )
    .option("--json", "the whole state as JSON, as a snapshot holds it")
    .addHelpText("after", `\n${TIMES_HELP}`)
    .action(async (options: StateOptions) => {
      await withEvents(options, async (source) => {
        const read = await readState(source, options.at);
        if (options.json === true) await writeJson({ offset: read.offset, state: saveState(read.state) });
        else await writeOut(`${formatState(source.name, read)}\n`);
        tellSkipped(source.name, read);
        tellReplayedFrom(source.name, read);
      });
    });
}

function formatState(name: string, { state, offset }: ReadState): string {
  const { bold } = colorsFor(process.stdout);
  const { pendingTrigger, openRequest, paused, autonomousTurnCount, consecutiveLlmFailures, tokenUsage } =
    state;
  const items = contextItems(state);
  const count = (kind: string): number => items.filter((item) => item.kind === kind).length;
  const { maxAutonomousTurns } = agentConfig(state);
  const rows = [
    ["stream", `${name}@${offset}`],
    ["presence", describePresence(state)],
    ["context", `${formatCount(count("section"), "section")}, ${formatCount(count("message"), "message")}`],
    ...summaryRows(items),
    [
      "requests",
      `${formatCount(count("request"))} in the context, everything through @${state.sentThrough} was sent`,
    ],
    [
      "trigger",
      pendingTrigger === null ? "none pending" : `@${pendingTrigger.offset}, ${pendingTrigger.source}`,
    ],
    ["open", openRequest === null ? "no request" : `request @${openRequest.offset}`],
    ["scripts", state.scripts.size === 0 ? "none running" : [...state.scripts.keys()].join(", ")],
    [
      "turns",
      `${formatCount(autonomousTurnCount)} of its own in a row (at most ${formatCount(maxAutonomousTurns)})`,
    ],
    ["failures", `${formatCount(consecutiveLlmFailures)} in a row`],
    ["paused", paused ? "yes" : "no"],
    ["tokens", describeTokens(tokenUsage)],
    ...Object.entries(state.summary).map(([field, text]) => [field, text]),
    ...Object.entries(state.config).map(([key, value]) => [`config.${key}`, JSON.stringify(value)]),
  ];
  return formatTable(
    rows.map(([label = "", text = ""]) => [oneLine(label, 40), oneLine(text, 200)]),
    (cell, column) => (column === 0 ? bold(cell) : cell),
  );
}

/** The summaries that stand in the context for earlier history, by the offsets that `request --summary-call` takes. */
function summaryRows(items: readonly ContextItem[]): string[][] {
  return items.flatMap((item) => {
    if (item.kind !== "message" || !isCompaction(item.payload)) return [];
    return [
      [
        "summary",
        `@${item.offset}, of everything through @${item.payload.compaction.replacesHistoryThrough}`,
      ],
    ];
  });
}

function describePresence(state: AgentState): string {
  const { runnable, busy } = presence(state);
  if (!state.created) return "not born yet";
  if (busy) return "busy";
  if (state.paused) return "paused";
  return runnable ? "about to ask the model" : "idle";
}

function describeTokens(usage: ReadState["state"]["tokenUsage"]): string {
  const cached = usage.cachedInputTokens === 0 ? "" : ` (${formatCount(usage.cachedInputTokens)} from cache)`;
  return `${formatCount(usage.inputTokens)} in${cached}, ${formatCount(usage.outputTokens)} out`;
}
