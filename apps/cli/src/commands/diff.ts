import type { Command } from "commander";
import { loadTokenCounter } from "@promptfold/check";
import { compareRequests } from "@promptfold/replay";
import { UsageError } from "../errors.ts";
import { addEventOptions } from "../input/event-options.ts";
import { type EventSourceOptions, withEvents } from "../input/event-source.ts";
import { newestRequests, readRequest } from "../input/read-state.ts";
import { colorsFor } from "../terminal/colors.ts";
import { writeJson, writeOut } from "../terminal/write-out.ts";
import { changedSections } from "../text/changed-sections.ts";
import { formatComparison } from "../text/format-comparison.ts";
import { terminalWidth } from "../text/layout.ts";
import { parseOffset, parsePositive } from "./parse-arguments.ts";

interface DiffOptions extends EventSourceOptions {
  readonly from?: number;
  readonly to?: number;
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
        "which event is the reason, which sections changed, and what was added.",
    );
  addEventOptions(command)
    .option("--from <offset>", "the earlier request (default: the newest but one)", parseOffset)
    .option("--to <offset>", "the later request (default: the newest)", parseOffset)
    .option("--lines <count>", "show at most so many lines of each message", parsePositive, 12)
    .option("--json", "the comparison as JSON")
    .addHelpText(
      "after",
      `
Example:
  promptfold diff --journal sqlite:.promptfold/demo.db --stream /agents/demo/1 --from 15 --to 22`,
    )
    .action(async (options: DiffOptions) => {
      await withEvents(options, async (source) => {
        const isGiven = options.from !== undefined && options.to !== undefined;
        const [newestButOne = 0, newest = 0] = isGiven ? [] : await newestRequests(source, 2);
        const [from, to] = [options.from ?? newestButOne, options.to ?? newest];
        if (from > to) {
          throw new UsageError(
            `@${from} is later than @${to}; give the earlier offset to --from and the later to --to`,
          );
        }
        const earlier = await readRequest(source, from);
        const later = await readRequest(source, to);
        const countTokens = await loadTokenCounter();
        const comparison = compareRequests(earlier, later, { countTokens });
        const sections = changedSections(earlier.state, later.state);
        if (options.json === true) {
          const added = later.messages.slice(comparison.sharedMessages);
          await writeJson({ from: earlier.offset, to: later.offset, ...comparison, sections, added });
          return;
        }
        const text = formatComparison(earlier, later, {
          comparison,
          sections,
          colors: colorsFor(process.stdout),
          width: terminalWidth(process.stdout),
          lines: options.lines,
        });
        await writeOut(`${text}\n`);
      });
    });
}
