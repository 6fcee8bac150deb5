import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** The script that child processes run. */
export const CHILD: string = fileURLToPath(new URL("child.mjs", import.meta.url));

/** A child process that speaks JSON lines. */
export interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Its lines so far and to come. */
  readonly lines: AsyncIterableIterator<string>;
  /** Resolves when it has ended and all its output was read. */
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: string | null;
    readonly errors: string;
  }>;
}

/** Starts a child; `command` and its arguments are those of child.mjs. */
export function runChild(
  args: readonly string[],
  options: { readonly uid?: number; readonly program?: readonly string[] } = {},
): Child {
  const [program = process.execPath, ...first] = options.program ?? [process.execPath];
  const child = spawn(program, [...first, CHILD, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const ended = new Promise<{ code: number | null; signal: string | null; errors: string }>(
    (resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => {
        resolve({ code, signal, errors });
      });
    },
  );
  return { process: child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), ended };
}

/** All lines of a child that must end well, parsed. */
export async function outputOf(child: Child): Promise<unknown[]> {
  const lines: unknown[] = [];
  child.process.stdin.end();
  for await (const line of child.lines) lines.push(JSON.parse(line));
  const { code, signal, errors } = await child.ended;
  if (code !== 0)
    throw new Error(`the child ended with ${String(code ?? signal)}: ${errors || JSON.stringify(lines)}`);
  return lines;
}
