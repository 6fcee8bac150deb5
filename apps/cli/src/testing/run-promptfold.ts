import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const bin = fileURLToPath(new URL("../../bin/promptfold.js", import.meta.url));

/** How a process ended, and what it wrote. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  /** Resolves when standard error holds a text, so many times. */
  said(text: string, times?: number): Promise<void>;
  /** Resolves when standard output holds a text. */
  printed(text: string): Promise<void>;
}

/** How a command is started. */
export interface RunOptions {
  /** The working folder. */
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A folder that is gone when the test is done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "promptfold-cli-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return folder;
}

/** Starts the built command as users start it; without a key in its environment. */
export function startPromptfold(args: readonly string[], { cwd, input, env }: RunOptions = {}): Running {
  const { OPENAI_API_KEY: _, FORCE_COLOR: __, NO_COLOR: ___, ...inherited } = process.env;
  const child = spawn(process.execPath, [bin, ...args], { cwd, env: { ...inherited, ...env } });
  const written = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      written[name] += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (exitCode, signal) => {
      resolve({ exitCode, signal, ...written });
      for (const listener of listeners) listener();
    });
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input ?? "");
  const holds = (name: "stdout" | "stderr", text: string, times = 1): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (written[name].split(text).length > times) resolve();
        else if (child.exitCode !== null)
          reject(new Error(`ended before ${name} held "${text}": ${written.stderr}`));
      };
      listeners.add(look);
      look();
    });
  return {
    child,
    ended,
    said: (text, times) => holds("stderr", text, times),
    printed: (text) => holds("stdout", text),
  };
}

/** Runs the built command to its end, in a process of its own. What needs none is faster with `promptfold`. */
export async function spawnPromptfold(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return startPromptfold(args, options).ended;
}
