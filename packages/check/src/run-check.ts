import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import nodeProcess from "node:process";
import { buffer } from "node:stream/consumers";
import { printable } from "@promptfold/contract";
import { explainName } from "@promptfold/templating";
import { explainFileFault, STDIN_NAME } from "@promptfold/templating/node";
import { checkPaths, type CheckOptions } from "./check-paths.ts";
import { CheckPathError, CheckUsageError } from "./errors.ts";
import type { PlaceOptions } from "./find-prompts.ts";
import type { CheckResult } from "./finding.ts";
import { countFindings, formatGithub, formatJson, formatText } from "./format-findings.ts";
import { pathKind } from "./path-kind.ts";
import { watchPaths } from "./watch-paths.ts";

/** The part of a process that the command needs. */
export interface CheckProcess {
  /** Read for the path `-`. */
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: { write: (text: string) => unknown; readonly isTTY?: boolean | undefined };
  readonly stderr: { write: (text: string) => unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends a watch; SIGINT and SIGTERM do unless given. */
  readonly signal?: AbortSignal | undefined;
}

/** How what is found is printed. */
export const CHECK_FORMATS: readonly ["text", "json", "github"] = ["text", "json", "github"];

export type CheckFormat = (typeof CHECK_FORMATS)[number];

/** What the command is called with. */
export interface RunCheckOptions extends PlaceOptions {
  /** What to check: the current folder when there is none; `-` is a prompt on standard input. */
  readonly paths: readonly string[];
  /** `text` unless given. */
  readonly format?: CheckFormat | undefined;
  /** Variables that the caller passes, each by its name, with or without `=value`. */
  readonly set?: readonly string[] | undefined;
  /** Warnings fail the check too. */
  readonly strict?: boolean | undefined;
  /** Check again whenever a file changes. */
  readonly watch?: boolean | undefined;
}

/**
 * Checks and prints what was found, to its end or as long as it watches. Findings go to stdout, everything else to stderr.
 *
 * @returns the exit status: 0 nothing wrong, 1 the prompts are at fault
 * @throws CheckPathError when a path leads to no prompt; CheckUsageError when what is named cannot be watched, or what is
 *   set cannot be a variable
 */
export async function runCheck(options: RunCheckOptions, process: CheckProcess): Promise<number> {
  const { paths, format = "text", set = [], strict = false, templatesDir, journalPath } = options;
  const readsStdin = paths.includes("-");
  const call: Call = {
    paths: paths.length === 0 ? ["."] : paths.filter((path) => path !== "-"),
    format,
    strict,
    options: { templatesDir, journalPath, context: set.map(readName) },
  };
  if (options.watch !== true) return check(call, readsStdin, process);
  for (const path of paths) requireWatchable(path);
  return watch(call, process);
}

/**
 * Lets nothing be watched that can be read only once; what is not there yet may be waited for.
 *
 * @throws CheckUsageError for `-`, which is standard input, and for a pipe or a device
 */
export function requireWatchable(path: string): void {
  if (path === "-") throw new CheckUsageError("--watch needs a file to watch; standard input is read once");
  if (existsSync(path) && pathKind(path) === "pipe")
    throw new CheckUsageError(
      `--watch needs a file to watch; ${path} is a pipe or a device, which is read once`,
    );
}

/** @throws CheckUsageError when what is set cannot be a variable */
function readName(setting: string): string {
  const name = setting.replace(/=.*$/s, "");
  const fault = explainName(name);
  if (fault !== undefined) throw new CheckUsageError(`--set: ${fault}`);
  return name;
}

interface Call {
  readonly paths: readonly string[];
  readonly format: CheckFormat;
  readonly strict: boolean;
  readonly options: CheckOptions;
}

async function check(call: Call, readsStdin: boolean, process: CheckProcess): Promise<number> {
  const texts = readsStdin ? new Map([[STDIN_NAME, await readStdin(process.stdin)]]) : undefined;
  const result = await checkPaths(call.paths, { ...call.options, texts });
  show(call, result, process);
  return status(call, result);
}

/** Annotations of a clean run are none at all: that it was checked is told on standard error. */
function show(call: Call, result: CheckResult, process: CheckProcess): void {
  process.stdout.write(formatResult(call.format, result, process));
  if (call.format === "github" && result.findings.length === 0) process.stderr.write(formatText(result));
  for (const note of result.notes) process.stderr.write(`note: ${printable(note)}\n`);
}

async function readStdin(stdin: CheckProcess["stdin"]): Promise<Uint8Array> {
  try {
    return await buffer(stdin);
  } catch (cause) {
    const reason = explainFileFault(cause);
    throw reason === undefined ? cause : new CheckPathError(STDIN_NAME, reason, { cause });
  }
}

async function watch(call: Call, process: CheckProcess): Promise<number> {
  // Until a check comes to its end, what is at fault is that there is nothing to check.
  let last = 1;
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
      process.stderr.write(`${explainError(error)}\nwatching for changes\n`);
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
export function explainError(error: unknown): string {
  return printable(`error ${error instanceof Error ? error.message : String(error)}`);
}

function formatResult(format: CheckFormat, result: CheckResult, { stdout, env }: CheckProcess): string {
  if (format === "json") return formatJson(result);
  if (format === "github") {
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
