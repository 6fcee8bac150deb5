import type { Command } from "commander";
import { printable } from "@promptfold/contract";
import { type RuleInForce, rulesInForce } from "@promptfold/replay";
import { nearestName } from "@promptfold/templating";
import { InputError } from "../errors.ts";
import { addEventOptions } from "../input/event-options.ts";
import { type EventSourceOptions, withEvents } from "../input/event-source.ts";
import { offsetOrTime, TIMES_HELP } from "../input/point-in-time.ts";
import { readState } from "../input/read-state.ts";
import { colorsFor } from "../terminal/colors.ts";
import { oneLine } from "../terminal/one-line.ts";
import { say, writeJson, writeOut } from "../terminal/write-out.ts";
import { formatTable } from "../text/format-table.ts";
import { terminalWidth } from "../text/layout.ts";
import { tellSkipped } from "../text/skipped-notes.ts";
import { parseKey } from "./parse-arguments.ts";

interface RulesOptions extends EventSourceOptions {
  readonly at?: number;
  readonly key?: string;
  readonly json?: true;
}

/** `promptfold rules`: for each section the text that holds, since when, and what it replaced. */
export function addRulesCommand(program: Command): void {
  const command = program
    .command("rules")
    .summary("list the sections in force, since when, and what they replaced")
    .description(
      "Lists the sections in force at an offset: since which event each holds, and which one it replaced. A section that was " +
        "added again before anything was sent replaced nothing: it stands where the first one stood.",
    );
  addEventOptions(command)
    .option(
      "--at <offset|time>",
      "at which offset, or at the newest event by a time (default: the end of the stream)",
      offsetOrTime("event"),
    )
    .option("--key <key>", "print the text of one section", parseKey)
    .option("--json", "as JSON, with the texts")
    .addHelpText("after", `\n${TIMES_HELP}`)
    .action(async (options: RulesOptions) => {
      await withEvents(options, async (source) => {
        const read = await readState(source, options.at);
        const { state, offset } = read;
        const rules = rulesInForce(state);
        const { key } = options;
        const shown = key === undefined ? rules : rules.filter((rule) => rule.key === key);
        if (key !== undefined && shown.length === 0) throw unknownKey(`${source.name}@${offset}`, key, rules);
        if (options.json === true) await writeJson(shown);
        else if (key !== undefined) await writeOut(`${shown[0]?.content ?? ""}\n`);
        else if (rules.length === 0) say(`${source.name}@${offset}: no section is in force`);
        else {
          await writeOut(`${formatRules(rules)}\n`);
          say(`\n${source.name}@${offset}; --key <key> prints a section's text`);
        }
        tellSkipped(source.name, read);
      });
    });
}

function unknownKey(place: string, key: string, rules: readonly RuleInForce[]): InputError {
  const keys = rules.map((rule) => rule.key);
  const near = nearestName(key, keys);
  const hint = near === undefined ? `there are ${keys.join(", ")}` : `did you mean ${near}?`;
  return new InputError(`${place}: no section ${key} is in force; ${keys.length === 0 ? "none is" : hint}`);
}

function formatRules(rules: readonly RuleInForce[]): string {
  const { bold, cyan, dim } = colorsFor(process.stdout);
  const rows = rules.map(({ key, role, since, replaced, content }) => [
    printable(key),
    role,
    `since @${since}`,
    replaced === undefined ? "" : `replaced @${replaced.offset}`,
    oneLine(content, Math.max(20, terminalWidth(process.stdout) - 64)),
  ]);
  return formatTable(rows, (cell, column) => [cyan, dim, bold, bold, dim][column]?.(cell) ?? cell);
}
