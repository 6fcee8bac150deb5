import { CHECK_FORMATS, type CheckFormat, runCheck } from "@promptfold/check";
import { type Command, Option } from "commander";
import type { Outcome } from "../outcome.ts";

interface CheckOptions {
  readonly format: CheckFormat;
  readonly json?: true;
  readonly templates?: string;
  readonly identity?: string;
  readonly set?: readonly string[];
  readonly strict?: true;
  readonly watch?: true;
}

/** `promptfold check`: what `@promptfold/check` finds in prompt files. */
export function addCheckCommand(program: Command, outcome: Outcome): void {
  program
    .command("check")
    .summary("find what is wrong in prompt files")
    .description(
      "Checks prompt files, folders of them, and config folders (prompts/, templates/, config/journal.json), also those that " +
        "a folder holds: tags, frontmatter, variables, budgets. Exits with 1 when it finds an error.",
    )
    .argument("[path...]", "what to check; - reads standard input (default: the current folder)")
    .addOption(new Option("--format <format>", "how to print").choices(CHECK_FORMATS).default("text"))
    .option("--json", "short for --format json")
    .option("--templates <folder>", "where the templates are (default: templates/ beside prompts/)")
    .option(
      "--identity <journal.json>",
      "whose `identity` to use (default: config/journal.json beside prompts/)",
    )
    .option("--set <name>", "a variable that the caller passes; may be given again", addName)
    .option("--strict", "let warnings fail the check too")
    .option("--watch", "check again whenever a file changes")
    .action(
      async (paths: readonly string[], { json, format, templates, identity, ...options }: CheckOptions) => {
        const shape = json === true ? "json" : format;
        const call = { ...options, paths, format: shape, templatesDir: templates, journalPath: identity };
        outcome.exitCode = await runCheck(call, process);
      },
    );
}

/** One name for each time that the option is given, so that it never takes a path for a name. */
function addName(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name];
}
