import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { printable } from "@promptfold/contract";
import { CheckPathError, CheckUsageError } from "./errors.ts";
import {
  CHECK_FORMATS,
  type CheckFormat,
  type CheckProcess,
  explainError,
  runCheck,
  type RunCheckOptions,
} from "./run-check.ts";

const USAGE = `Usage: promptfold-check [PATH…] [options]

Checks prompt files, folders of them, and config folders (prompts/, templates/, config/journal.json), also those that a
folder holds. PATH is the current folder unless given; - reads a prompt from standard input.

  --format text|json|github  how to print what is found (text)
  --json                     short for --format json
  --templates DIR            where templates are, when not beside prompts/
  --identity FILE            the journal.json with the identity, when not config/journal.json
  --set NAME                 a variable that the caller passes; may be repeated
  --strict                   warnings fail the check too
  --watch                    check again whenever a file changes
  --debug                    add a stack trace to an error
  --version                  print the version
  --help                     print this

Exit status: 0 nothing wrong, 1 the prompts are at fault, or a path leads to none, 2 the call is.
`;

/**
 * The command `promptfold-check`: {@link runCheck}, called with the words of a command line. Errors are told in one line.
 *
 * @returns the exit status: 0 nothing wrong, 1 the prompts are at fault or a path leads to none, 2 the call is
 */
export async function main(args: readonly string[], process: CheckProcess): Promise<number> {
  try {
    const call = readCall(args);
    if (call === "help" || call === "version") {
      process.stdout.write(call === "help" ? USAGE : `${readVersion()}\n`);
      return 0;
    }
    return await runCheck(call, process);
  } catch (error) {
    process.stderr.write(`${explainError(error)}\n`);
    if (args.includes("--debug") && error instanceof Error)
      for (const line of error.stack?.split("\n") ?? []) process.stderr.write(`${printable(line)}\n`);
    return CheckPathError.isInstance(error) ? 1 : 2;
  }
}

function readVersion(): string {
  const url = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(url, "utf8")) as { version: string }).version;
}

function readCall(args: readonly string[]): RunCheckOptions | "help" | "version" {
  const { values, positionals } = parse(args);
  if (values.help) return "help";
  if (values.version) return "version";
  const { json, templates, identity, set, strict, watch } = values;
  const format = json === true ? "json" : values.format;
  if (!isFormat(format)) {
    throw new CheckUsageError(`--format ${format}: there is no such format; use text, json or github`);
  }
  return { paths: positionals, format, templatesDir: templates, journalPath: identity, set, strict, watch };
}

function isFormat(name: string): name is CheckFormat {
  return (CHECK_FORMATS as readonly string[]).includes(name);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        format: { type: "string", default: "text" },
        json: { type: "boolean" },
        templates: { type: "string" },
        identity: { type: "string" },
        set: { type: "string", multiple: true },
        strict: { type: "boolean" },
        watch: { type: "boolean" },
        debug: { type: "boolean" },
        version: { type: "boolean", short: "V" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split(". ", 1);
    throw new CheckUsageError(`${reason ?? "wrong options"}; promptfold-check --help lists the options`, {
      cause,
    });
  }
}
