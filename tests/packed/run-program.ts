import { spawn } from "node:child_process";

/** What a program printed and how it ended. */
export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program as a user's shell would: without what npm and turbo leave in the environment of their children. */
export function runProgram(command: string, args: readonly string[], cwd: string): Promise<ProgramResult> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|turbo_|vitest|node_env)/i.test(name),
  );
  const env = { ...Object.fromEntries(inherited), NO_COLOR: "1" };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}
