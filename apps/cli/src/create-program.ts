import { readFileSync } from "node:fs";
import { Command } from "commander";
import type { Outcome } from "./outcome.ts";

type AddCommand = (program: Command, outcome: Outcome) => void;

/** The commands in the order of the help. Each is loaded when it is called, so that none waits for what others need. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  demo: async () => (await import("./commands/demo.ts")).addDemoCommand,
  check: async () => (await import("./commands/check.ts")).addCheckCommand,
  render: async () => (await import("./commands/render.ts")).addRenderCommand,
  vars: async () => (await import("./commands/vars.ts")).addVarsCommand,
  types: async () => (await import("./commands/types.ts")).addTypesCommand,
  sections: async () => (await import("./commands/sections.ts")).addSectionsCommand,
  append: async () => (await import("./commands/append.ts")).addAppendCommand,
  request: async () => (await import("./commands/request.ts")).addRequestCommand,
  diff: async () => (await import("./commands/diff.ts")).addDiffCommand,
  rules: async () => (await import("./commands/rules.ts")).addRulesCommand,
  state: async () => (await import("./commands/state.ts")).addStateCommand,
  doctor: async () => (await import("./commands/doctor.ts")).addDoctorCommand,
  chat: async () => (await import("./commands/chat.ts")).addChatCommand,
  run: async () => (await import("./commands/run.ts")).addRunCommand,
  worker: async () => (await import("./commands/worker.ts")).addWorkerCommand,
  export: async () => (await import("./commands/export.ts")).addExportCommand,
  import: async () => (await import("./commands/import.ts")).addImportCommand,
  migrate: async () => (await import("./commands/migrate.ts")).addMigrateCommand,
  journal: async () => (await import("./commands/journal.ts")).addJournalCommand,
};

/**
 * Builds the command with the subcommand that the arguments call, or with all where they call none. Parsing throws where
 * commander would end the process.
 */
export async function createProgram(argv: readonly string[], outcome: Outcome): Promise<Command> {
  const program = new Command("promptfold")
    .description(
      "Turns an agent's event stream into the exact request a model receives: every past request can be rebuilt, " +
        "and every request begins with the one before, byte for byte.",
    )
    .version(readVersion(), "-V, --version", "print the version")
    .option("--debug", "add a stack trace to an error")
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
  for (const name of calledCommands(argv[0])) (await commands[name]?.())?.(program, outcome);
  for (const command of program.commands) command.option("--debug", "add a stack trace to an error");
  return program;
}

/** Whether a word names a subcommand. */
function isCommand(name: string | undefined): name is string {
  return name !== undefined && Object.hasOwn(commands, name);
}

function calledCommands(name: string | undefined): readonly string[] {
  if (name === "-V" || name === "--version") return [];
  return isCommand(name) ? [name] : Object.keys(commands);
}

function helpWidth({ columns = 100 }: { readonly columns?: number }): number {
  return Math.min(columns, 110);
}

function readVersion(): string {
  const url = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(url, "utf8")) as { version: string }).version;
}
