import { InvalidVariableError } from "@promptfold/templating";
import type { Command } from "commander";
import { addPromptOptions, type PromptOptions, readBoundPrompt } from "../input/prompt-options.ts";
import { colorsFor } from "../terminal/colors.ts";
import { sayNote } from "../terminal/say-note.ts";
import { writeJson, writeOut } from "../terminal/write-out.ts";
import { formatVariables } from "../text/format-variables.ts";
import { terminalWidth } from "../text/layout.ts";
import { listPromptVariables } from "../input/list-prompt-variables.ts";

interface VarsOptions extends PromptOptions {
  readonly json?: true;
}

/** `promptfold vars`: the variables of a prompt file by tier, with values and places. */
export function addVarsCommand(program: Command): void {
  const command = program
    .command("vars")
    .summary("list the variables of a prompt file, their values, and where each is used")
    .description(
      "Lists what a prompt file can use: what the caller gives (context), identity, templates, defaults of declared " +
        "inputs, in the order of precedence, with values and with every place where each is used. What is used and not " +
        "given comes last.",
    )
    .argument("<file>", "the prompt file; - reads standard input");
  addPromptOptions(command)
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  promptfold vars prompts/agent-system-prompt.md
  promptfold vars prompts/research-question.md --set question="Why is the build slow?" --json`,
    )
    .action(async (path: string, options: VarsOptions) => {
      const { file, bindings, outside } = await readBoundPrompt(path, options);
      const { variables, problems } = listPromptVariables(file, bindings);
      if (options.json === true) await writeJson({ path: file.file, variables });
      else {
        const layout = { colors: colorsFor(process.stdout), width: terminalWidth(process.stdout) };
        await writeOut(formatVariables(variables, layout));
      }
      const isUnbound = variables.some(({ tier, isBuilt }) => tier === null && isBuilt !== true);
      if (isUnbound && outside !== undefined) sayNote(file.file, outside);
      if (problems.length > 0) throw new InvalidVariableError(problems, file.file);
    });
}
