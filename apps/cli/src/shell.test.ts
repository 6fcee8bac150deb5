import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { promptfold } from "./testing/run-in-process.ts";
import { type Ended, spawnPromptfold, temporaryFolder } from "./testing/run-promptfold.ts";

const bin = fileURLToPath(new URL("../bin/promptfold.js", import.meta.url));

/** Runs a line as a user's shell does. */
function shell(line: string, cwd: string): Promise<Omit<Ended, "signal">> {
  const child = spawn("sh", ["-c", line], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve) => {
    child.on("close", (exitCode) => {
      resolve({ exitCode, stdout, stderr });
    });
  });
}

/** Ten thousand events in a file. */
function manyEvents(cwd: string): void {
  const line = (offset: number): string =>
    JSON.stringify({
      offset,
      type: "agents/context-added",
      payload: { role: "user", content: `message ${offset}` },
      createdAt: "2026-01-01T00:00:00.000Z",
    });
  const lines = Array.from({ length: 10_000 }, (_, index) => line(index + 1));
  writeFileSync(join(cwd, "events.jsonl"), `${lines.join("\n")}\n`);
}

it("ends quietly when a reader stops early", { timeout: 120_000 }, async () => {
  const cwd = temporaryFolder();
  manyEvents(cwd);
  const section = (index: number): string => `<section key="k${index}">\nsome text\n</section>\n`;
  writeFileSync(join(cwd, "many.md"), Array.from({ length: 10_000 }, (_, index) => section(index)).join(""));
  for (const command of ["request --events events.jsonl --at 10000", "sections many.md --json"]) {
    const line = `for i in 1 2 3; do "${process.execPath}" "${bin}" ${command} | head -1; done`;
    const { stdout, stderr, exitCode } = await shell(line, cwd);
    const lines = stdout.trimEnd().split("\n");
    expect({ stderr, exitCode, lines: lines.length, kinds: new Set(lines).size }).toEqual({
      stderr: "",
      exitCode: 0,
      lines: 3,
      kinds: 1,
    });
  }
});

it("ends its process with the exit code of the call", async () => {
  const cwd = temporaryFolder();
  const ended = [
    await spawnPromptfold(["sections", "-"], { cwd, input: "x" }),
    await spawnPromptfold(["check", "absent"], { cwd }),
    await spawnPromptfold(["check", "-", "--watch"], { cwd }),
  ];
  expect(ended.map(({ exitCode, stdout, stderr }) => [exitCode, stdout !== "", stderr !== ""])).toEqual([
    [0, true, false],
    [1, false, true],
    [2, false, true],
  ]);
});

it("runs through links, wherever they stand", async () => {
  const cwd = temporaryFolder();
  const { stdout: version } = await promptfold(["--version"]);
  mkdirSync(join(cwd, "bin"));
  symlinkSync(bin, join(cwd, "bin", "promptfold"));
  symlinkSync(join(cwd, "bin", "promptfold"), join(cwd, "again"));
  symlinkSync(fileURLToPath(new URL("../bin", import.meta.url)), join(cwd, "folder"));
  for (const path of ["bin/promptfold", "./again", "folder/promptfold.js"]) {
    expect(await shell(`${path.includes("/") ? path : `./${path}`} --version`, cwd)).toEqual({
      exitCode: 0,
      stdout: version,
      stderr: "",
    });
  }
});
