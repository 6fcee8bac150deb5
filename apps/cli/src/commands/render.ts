import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { requireWatchable } from "@promptfold/check";
import { type ExplainedSpan, explainPrompt, type Metadata } from "@promptfold/templating";
import { isFolder } from "@promptfold/templating/node";
import type { Command } from "commander";
import { InputError } from "../errors.ts";
import { layOutPrompt } from "../input/lay-out-prompt.ts";
import {
  addPromptOptions,
  type PromptOptions,
  promptSources,
  readBoundPrompt,
} from "../input/prompt-options.ts";
import { describeWriteError } from "../input/describe-write-error.ts";
import { refuseSource } from "../input/refuse-source.ts";
import { watchOutput } from "../input/watch-output.ts";
import type { Outcome } from "../outcome.ts";
import { colorsFor } from "../terminal/colors.ts";
import { say, writeOut } from "../terminal/write-out.ts";
import { formatExplanation } from "../text/format-explanation.ts";
import { promptNotes } from "../text/prompt-notes.ts";

interface RenderOptions extends PromptOptions {
  readonly explain?: true;
  readonly json?: true;
  readonly out?: string;
  readonly watch?: true;
}

/** `promptfold render`: the personalised text of a prompt file, and where each part of it came from. */
export function addRenderCommand(program: Command, outcome: Outcome): void {
  const command = program
    .command("render")
    .summary("print a prompt file with its templates and values put in")
    .description(
      "Prints the personalised text of a prompt file, for reading. A placeholder that nothing is bound to stays as it " +
        "is, and is named on standard error, and so are a section tag and a fence of frontmatter at fault.",
    )
    .argument("<file>", "the prompt file; - reads standard input");
  addPromptOptions(command)
    .option("--explain", "where each part came from: file and line, or variable and tier")
    .option("--json", "text, path and metadata as JSON; with --explain the spans too")
    .option("--out <file>", "write to a file instead")
    .option("--watch", "render again whenever what it is made from changes")
    .addHelpText(
      "after",
      `
Examples:
  promptfold render prompts/agent-system-prompt.md
  promptfold render prompts/daily-review.md --set day="Friday, January 24, 2026" --set day_YYYYMMDD=20260124
  promptfold render prompts/daily-review.md --explain
  promptfold render prompts/daily-review.md --watch --out preview.md`,
    )
    .action(async (path: string, options: RenderOptions) => {
      if (options.watch === true) requireWatchable(path);
      const sources = options.out === undefined && options.watch !== true ? [] : promptSources(path, options);
      if (options.out !== undefined) refuseSource(options.out, sources, "the text");
      if (options.watch === true) requireFolderOf(path);
      const render = (): Promise<Rendering> => renderFile(path, options);
      const show = (rendering: Rendering): Promise<void> => {
        // Once more: what is made from the files may have come to be one of them since.
        if (options.out !== undefined) refuseSource(options.out, sources, "the text");
        return showRendering(rendering, options);
      };
      if (options.watch !== true) await show(await render());
      else outcome.exitCode = await watchOutput(sources, { make: render, show });
    });
}

interface Rendering {
  readonly output: string;
  readonly notes: readonly string[];
}

async function renderFile(path: string, options: RenderOptions): Promise<Rendering> {
  const prompt = await readBoundPrompt(path, options);
  const { file, bindings } = prompt;
  const spans = explainPrompt(file, bindings);
  return {
    output: printSpans(spans, { path: file.file, metadata: file.metadata }, options),
    notes: promptNotes(prompt, { layout: layOutPrompt(file, bindings), spans }, options),
  };
}

function printSpans(
  spans: readonly ExplainedSpan[],
  { path, metadata }: { readonly path: string; readonly metadata: Metadata },
  { explain, json, out }: RenderOptions,
): string {
  const text = spans.map((span) => span.text).join("");
  if (json === true) {
    const value = { text, path, metadata, ...(explain === true ? { spans } : {}) };
    return `${JSON.stringify(value, undefined, 2)}\n`;
  }
  if (explain !== true) return `${text}\n`;
  return formatExplanation(spans, colorsFor(out === undefined ? process.stdout : {}));
}

async function showRendering({ output, notes }: Rendering, { out }: RenderOptions): Promise<void> {
  if (out === undefined) await writeOut(output);
  else writeResult(out, output);
  notes.forEach(say);
}

function writeResult(path: string, output: string): void {
  try {
    writeFileSync(path, output);
  } catch (error) {
    throw describeWriteError(path, error);
  }
}

/** A file that is not there yet is waited for, but not its folder, whose name is more likely a slip. */
function requireFolderOf(path: string): void {
  if (isFolder(dirname(path))) return;
  throw new InputError(`${path}: there is no folder ${dirname(path)} to watch; check the path`);
}
