import { basename } from "node:path";
import { isSectionKey, printable } from "@promptfold/contract";
import {
  describeProblem,
  InvalidSectionKeyError,
  SectionSyntaxError,
  splitSections,
  unescapeTags,
} from "@promptfold/parser";
import { parsePromptFile, type PromptFile } from "@promptfold/templating";
import type { Command } from "commander";
import { readTextInput } from "../input/read-text-input.ts";
import { colorsFor } from "../terminal/colors.ts";
import { oneLine } from "../terminal/one-line.ts";
import { writeJson, writeOut } from "../terminal/write-out.ts";
import { formatCount } from "../text/format-count.ts";
import { formatTable } from "../text/format-table.ts";
import { terminalWidth } from "../text/layout.ts";

interface SectionsOptions {
  readonly fallbackKey?: string;
  readonly json?: true;
}

/** `promptfold sections`: what the parser finds in a file, before any value is put in. */
export function addSectionsCommand(program: Command): void {
  program
    .command("sections")
    .summary("list the sections of a prompt file")
    .description(
      "Lists the sections of a prompt file as its author wrote them: no template and no value is put in.",
    )
    .argument("<file>", "the prompt file; - reads standard input")
    .option("--fallback-key <key>", "the key of text outside tags (default: the file's name, or prompt)")
    .option("--json", "key, line and content of each, as JSON")
    .addHelpText(
      "after",
      `
Examples:
  promptfold sections prompts/agent-system-prompt.md
  echo "Be kind." | promptfold sections - --fallback-key tone --json`,
    )
    .action(async (path: string, { fallbackKey = keyFromName(path), json }: SectionsOptions) => {
      if (!isSectionKey(fallbackKey)) throw new InvalidSectionKeyError(fallbackKey);
      const { name, text } = await readTextInput(path);
      const sections = readSections(parsePromptFile(text, { file: name }), fallbackKey);
      if (json === true) await writeJson(sections);
      else await writeOut(`${formatSections(sections)}\n`);
    });
}

interface AuthoredSection {
  readonly key: string;
  /** Where it begins in the file, from 1. */
  readonly line: number;
  readonly content: string;
}

/** @throws SectionSyntaxError with every fault, in the file's lines */
function readSections({ file, body, bodyStart, locate }: PromptFile, fallbackKey: string): AuthoredSection[] {
  const { spans, problems } = splitSections([body]);
  if (problems.length > 0) {
    const place = (offset: number): { file: string; line: number; column: number } => ({
      file,
      ...locate(bodyStart + offset),
    });
    throw new SectionSyntaxError(problems.map((problem) => describeProblem(problem, place)));
  }
  if (spans.length === 0) return [{ key: fallbackKey, line: 1, content: "" }];
  return spans.map(({ key = fallbackKey, tagStart, start, end }) => ({
    key,
    line: locate(bodyStart + tagStart).line,
    content: unescapeTags(body.slice(start, end)),
  }));
}

function keyFromName(path: string): string {
  return path === "-" ? "prompt" : basename(path).replace(/\.md$/, "");
}

function formatSections(sections: readonly AuthoredSection[]): string {
  const { cyan, dim } = colorsFor(process.stdout);
  const rows = sections.map(({ key, line, content }) => [
    printable(key),
    `line ${line}`,
    formatCount(content === "" ? 0 : content.split("\n").length, "line"),
    formatCount(content.match(/\S+/g)?.length ?? 0, "word"),
    oneLine(content, Math.max(20, terminalWidth(process.stdout) - 60)),
  ]);
  return formatTable(rows, (cell, column) => [cyan, dim, dim, dim][column]?.(cell) ?? cell);
}
