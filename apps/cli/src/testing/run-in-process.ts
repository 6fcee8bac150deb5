import { PassThrough } from "node:stream";
import { callProgram } from "../call-program.ts";
import type { Ended, RunOptions } from "./run-promptfold.ts";

/** What the command reads of the process, replaced while it runs. */
const replaced = ["FORCE_COLOR", "NO_COLOR", "OPENAI_API_KEY"];

/** How the command is run in this process. */
export interface InProcessOptions extends RunOptions {
  /** Standard error takes itself for a terminal. */
  readonly stderrIsTerminal?: boolean;
}

/**
 * Runs the command to its end in this process: what it prints and how it ends, without the cost of starting one. Calls wait
 * for each other, since a process has one working folder and one standard output.
 */
export async function promptfold(
  args: readonly string[],
  { cwd, input = "", env = {}, stderrIsTerminal = false }: InProcessOptions = {},
): Promise<Omit<Ended, "signal">> {
  const before = last;
  let release = (): void => undefined;
  last = new Promise((resolve) => (release = resolve));
  await before;
  const written = { stdout: "", stderr: "" };
  const restore: (() => void)[] = [];
  const replace = (target: object, name: string, value: unknown): void => {
    const descriptor = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    restore.push(() => {
      if (descriptor === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, descriptor);
    });
  };
  const folder = process.cwd();
  const environment = { ...process.env };
  try {
    for (const name of ["stdout", "stderr"] as const) {
      replace(process[name], "isTTY", name === "stderr" && stderrIsTerminal);
      replace(process[name], "write", (text: string | Uint8Array) => {
        written[name] += typeof text === "string" ? text : new TextDecoder().decode(text);
        return true;
      });
    }
    replace(process, "stdin", new PassThrough().end(input));
    for (const name of replaced) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, env);
    if (cwd !== undefined) process.chdir(cwd);
    const exitCode = await callProgram(args);
    return { exitCode, ...written };
  } finally {
    process.chdir(folder);
    for (const name of [...replaced, ...Object.keys(env)]) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, environment);
    for (const undo of restore.reverse()) undo();
    release();
  }
}

let last: Promise<void> = Promise.resolve();
