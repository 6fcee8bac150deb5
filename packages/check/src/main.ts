import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import nodeProcess from "node:process";
import { buffer } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { printable } from "@promptfold/contract";
import { explainFileFault } from "@promptfold/templating/node";
import { checkPaths, type CheckOptions } from "./check-paths.ts";
import { CheckPathError, CheckUsageError } from "./errors.ts";
import type { CheckResult } from "./finding.ts";
import { countFindings, formatGithub, formatJson, formatText } from "./format-findings.ts";
import { pathKind } from "./list-folder.ts";
import { watchPaths } from "./watch-paths.ts";

/** The part of a process that the command needs. */
export interface CheckProcess {
  /** Read for the path `-`. */
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: { write: (text: string) => unknown; readonly isTTY?: boolean };
  readonly stderr: { write: (text: string) => unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends a watch; SIGINT and SIGTERM do unless given. */
  readonly signal?: AbortSignal;
}

const USAGE = `Usage: promptfold-check [PATH…] [options]

Checks prompt files, folders of them, and config folders (prompts/, templates/, config/journal.json), also those that a
folder holds. PATH is the current folder unless given; - reads a prompt from standard input.

  --format text|json|github  how to print what is found (text)
  --templates DIR            where templates are, when not beside prompts/
  --identity FILE            the journal.json with the identity, when not config/journal.json
  --set NAME                 a variable that the caller passes; may be repeated
  --strict                   warnings fail the check too
  --watch                    check again whenever a file changes
  --version                  print the version
  --help                     print this

Exit status: 0 nothing wrong, 1 the prompts are at fault, or a path leads to none, 2 the call is.
`;

/**
 * The command `promptfold-check`. Findings go to stdout, everything else to stderr.
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
    return await (call.watch ? watch(call, process) : check(call, process));
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    return CheckPathError.isInstance(error) ? 1 : 2;
  }
}

async function check(call: Call, process: CheckProcess): Promise<number> {
  const texts = call.readsStdin ? new Map([[STDIN_NAME, await readStdin(process.stdin)]]) : undefined;
  const result = await checkPaths(call.paths, { ...call.options, ...(texts === undefined ? {} : { texts }) });
  show(call, result, process);
  return status(call, result);
}

/** Annotations of a clean run are none at all: that it was checked is told on standard error. */
function show(call: Call, result: CheckResult, process: CheckProcess): void {
  process.stdout.write(format(call.format, result, process));
  if (call.format === "github" && result.findings.length === 0) process.stderr.write(formatText(result));
  for (const note of result.notes) process.stderr.write(`note: ${printable(note)}\n`);
}

/** How findings name standard input. */
const STDIN_NAME = "<stdin>";

async function readStdin(stdin: CheckProcess["stdin"]): Promise<Uint8Array> {
  try {
    return await buffer(stdin);
  } catch (cause) {
    const reason = explainFileFault(cause);
    throw reason === undefined ? cause : new CheckPathError(STDIN_NAME, reason, { cause });
  }
}

async function watch(call: Call, process: CheckProcess): Promise<number> {
  for (const path of call.paths) {
    if (pathKind(path) === "pipe")
      throw new CheckUsageError(`--watch needs a file to watch; ${path} is a pipe, which is read once`);
  }
  let last = 0;
  let isFirst = true;
  const separate = (): void => {
    if (!isFirst) process.stderr.write("── changed ──\n");
    isFirst = false;
  };
  await watchPaths(call.paths, {
    ...call.options,
    signal: process.signal ?? interruption(),
    onResult: (result) => {
      separate();
      last = status(call, result);
      show(call, result, process);
      process.stderr.write("watching for changes\n");
    },
    onError: (error) => {
      separate();
      process.stderr.write(`${explain(error)}\n`);
    },
  });
  return last;
}

/** Aborted when the process is asked to end. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    nodeProcess.once(name, () => {
      controller.abort();
    });
  }
  return controller.signal;
}

function status({ strict }: Call, { findings }: CheckResult): number {
  const { errors, warnings } = countFindings(findings);
  return errors > 0 || (strict && warnings > 0) ? 1 : 0;
}

/** One line that says what to do. */
function explain(error: unknown): string {
  return printable(`error ${error instanceof Error ? error.message : String(error)}`);
}

interface Call {
  readonly paths: readonly string[];
  readonly readsStdin: boolean;
  readonly format: string;
  readonly strict: boolean;
  readonly watch: boolean;
  readonly options: CheckOptions;
}

function readVersion(): string {
  const url = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(url, "utf8")) as { version: string }).version;
}

function readCall(args: readonly string[]): Call | "help" | "version" {
  const { values, positionals } = parse(args);
  if (values.help) return "help";
  if (values.version) return "version";
  const { format, templates, identity, set = [], strict = false, watch = false } = values;
  if (!["text", "json", "github"].includes(format)) {
    throw new CheckUsageError(`--format ${format}: there is no such format; use text, json or github`);
  }
  const readsStdin = positionals.includes("-");
  if (readsStdin && watch)
    throw new CheckUsageError("--watch needs a file to watch; standard input is read once");
  return {
    paths: positionals.length === 0 ? ["."] : positionals.filter((path) => path !== "-"),
    readsStdin,
    format,
    strict,
    watch,
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
        watch: { type: "boolean" },
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

function format(name: string, result: CheckResult, { stdout, env }: CheckProcess): string {
  if (name === "json") return formatJson(result);
  if (name === "github") {
    const workspace = env["GITHUB_WORKSPACE"];
    const nameFile = (file: string): string =>
      workspace === undefined
        ? file
        : relative(realpathSync(workspace), join(realpathSync(dirname(file)), basename(file)));
    return formatGithub(result, { nameFile });
  }
  const color = stdout.isTTY === true && env["NO_COLOR"] === undefined;
  return formatText(result, { color });
}
