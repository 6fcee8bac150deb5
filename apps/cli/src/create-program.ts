import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addAppendCommand } from "./commands/append.ts";
import { addChatCommand } from "./commands/chat.ts";
import { addCheckCommand } from "./commands/check.ts";
import { addDemoCommand } from "./commands/demo.ts";
import { addDiffCommand } from "./commands/diff.ts";
import { addExportCommand } from "./commands/export.ts";
import { addImportCommand } from "./commands/import.ts";
import { addRenderCommand } from "./commands/render.ts";
import { addRequestCommand } from "./commands/request.ts";
import { addRulesCommand } from "./commands/rules.ts";
import { addRunCommand } from "./commands/run.ts";
import { addSectionsCommand } from "./commands/sections.ts";
import { addStateCommand } from "./commands/state.ts";
import { addWorkerCommand } from "./commands/worker.ts";
import type { Outcome } from "./outcome.ts";

/** Builds the command with all of its subcommands. Parsing throws where commander would end the process. */
export function createProgram(outcome: Outcome): Command {
  const program = new Command("promptfold")
    .description(
      "Turns an agent's event stream into the exact request a model receives: every past request can be rebuilt, " +
        "and every request begins with the one before, byte for byte.",
    )
    .version(readVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "show how a command is used")
    .exitOverride()
    .configureOutput({
      // Errors are told in one place, by whoever calls the program.
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth(process.stdout),
      getErrHelpWidth: () => helpWidth(process.stderr),
    })
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      `
Begin with:
  promptfold demo

Data goes to standard output, everything else to standard error. Exit codes: 0 done, 1 the input is at fault,
2 the call is. Every command takes --debug, which adds a stack trace to an error.`,
    );
  addDemoCommand(program, outcome);
  addCheckCommand(program, outcome);
  addRenderCommand(program);
  addSectionsCommand(program);
  addAppendCommand(program);
  addRequestCommand(program);
  addDiffCommand(program);
  addRulesCommand(program);
  addStateCommand(program);
  addChatCommand(program, outcome);
  addRunCommand(program);
  addWorkerCommand(program);
  addExportCommand(program);
  addImportCommand(program);
  for (const command of program.commands) command.option("--debug", "add a stack trace to an error");
  return program;
}

function helpWidth({ columns = 100 }: { readonly columns?: number }): number {
  return Math.min(columns, 110);
}

function readVersion(): string {
  const url = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(url, "utf8")) as { version: string }).version;
}
