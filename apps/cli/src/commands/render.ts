import { type ExplainedSpan, explainPrompt } from "@promptfold/templating";
import type { Command } from "commander";
import { addPromptOptions, type PromptOptions, readBoundPrompt } from "../input/prompt-options.ts";
import { say, writeJson, writeOut } from "../terminal/write-out.ts";

interface RenderOptions extends PromptOptions {
  readonly json?: true;
}

/** `promptfold render`: the personalised text of a prompt file. */
export function addRenderCommand(program: Command): void {
  const command = program
    .command("render")
    .summary("print a prompt file with its templates and values put in")
    .description(
      "Prints the personalised text of a prompt file, for reading. A placeholder that nothing is bound to stays as it " +
        "is, and is named on standard error.",
    )
    .argument("<file>", "the prompt file; - reads standard input");
  addPromptOptions(command)
    .option("--json", "text, path and metadata as JSON")
    .addHelpText(
      "after",
      `
Examples:
  promptfold render prompts/agent-system-prompt.md
  promptfold render prompts/daily-review.md --set day="Friday, January 24, 2026" --set day_YYYYMMDD=20260124`,
    )
    .action(async (path: string, options: RenderOptions) => {
      const { file, bindings } = await readBoundPrompt(path, options);
      const spans = explainPrompt(file, bindings);
      const text = spans.map((span) => span.text).join("");
      if (options.json === true) await writeJson({ text, path: file.file, metadata: file.metadata });
      else await writeOut(`${text}\n`);
      tellUnbound(spans);
    });
}

function tellUnbound(spans: readonly ExplainedSpan[]): void {
  const told = new Set<string>();
  for (const { text, variable, file, line, column } of spans) {
    if (variable !== undefined || !/^\$(?:[_A-Za-z]\w*|\{[_A-Za-z]\w*\})$/.test(text) || told.has(text))
      continue;
    told.add(text);
    say(
      `note: ${file}:${line}:${column}: nothing is bound to ${text}; it stays as it is (give it with --set)`,
    );
  }
}
