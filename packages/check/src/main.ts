import { parseArgs } from "node:util";
import { PromptfoldError } from "@promptfold/contract";
import { checkPaths, type CheckOptions } from "./check-paths.ts";
import { CheckUsageError } from "./errors.ts";
import type { CheckResult } from "./finding.ts";
import { countFindings, formatGithub, formatJson, formatText } from "./format-findings.ts";

/** The part of a process that the command needs. */
export interface CheckProcess {
  readonly stdout: { write: (text: string) => unknown; readonly isTTY?: boolean };
  readonly stderr: { write: (text: string) => unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
}

const USAGE = `Usage: promptfold-check [PATH…] [options]

Checks prompt files, folders of them, and config folders (prompts/, templates/, config/journal.json).
PATH is the current folder unless given.

  --format text|json|github  how to print what is found (text)
  --templates DIR            where templates are, when not beside prompts/
  --identity FILE            the journal.json with the identity, when not config/journal.json
  --set NAME                 a variable that the caller passes; may be repeated
  --strict                   warnings fail the check too
  --help                     print this

Exit status: 0 nothing wrong, 1 the prompts are at fault, 2 the call is.
`;

/**
 * The command `promptfold-check`. Findings go to stdout, everything else to stderr.
 *
 * @returns the exit status: 0 nothing wrong, 1 the prompts are at fault, 2 the call is
 */
export async function main(args: readonly string[], process: CheckProcess): Promise<number> {
  try {
    const call = readCall(args);
    if (call === "help") {
      process.stdout.write(USAGE);
      return 0;
    }
    const result = await checkPaths(call.paths, call.options);
    process.stdout.write(format(call.format, result, process));
    const { errors, warnings } = countFindings(result.findings);
    return errors > 0 || (call.strict && warnings > 0) ? 1 : 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${PromptfoldError.isInstance(error) ? "" : "promptfold-check: "}${message}\n`);
    return 2;
  }
}

interface Call {
  readonly paths: readonly string[];
  readonly format: string;
  readonly strict: boolean;
  readonly options: CheckOptions;
}

function readCall(args: readonly string[]): Call | "help" {
  const { values, positionals } = parse(args);
  if (values.help) return "help";
  const { format, templates, identity, set = [], strict = false } = values;
  if (!["text", "json", "github"].includes(format)) {
    throw new CheckUsageError(`--format ${format}: there is no such format; use text, json or github`);
  }
  return {
    paths: positionals.length === 0 ? ["."] : positionals,
    format,
    strict,
    options: {
      ...(templates === undefined ? {} : { templatesDir: templates }),
      ...(identity === undefined ? {} : { journalPath: identity }),
      context: set.map((name) => name.replace(/=.*$/s, "")),
    },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        format: { type: "string", default: "text" },
        templates: { type: "string" },
        identity: { type: "string" },
        set: { type: "string", multiple: true },
        strict: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CheckUsageError(`${reason}\nRun promptfold-check --help to see what there is`, { cause });
  }
}

function format(name: string, result: CheckResult, { stdout, env }: CheckProcess): string {
  if (name === "json") return formatJson(result);
  if (name === "github") return formatGithub(result);
  const color = stdout.isTTY === true && env["NO_COLOR"] === undefined;
  return formatText(result, { color });
}
