import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect } from "vitest";
import { root } from "./list-packages.ts";

/** What a guide asks its reader to do, in order. */
export type GuideStep =
  | { readonly kind: "install"; readonly commands: readonly string[] }
  | { readonly kind: "file"; readonly path: string; readonly text: string; readonly intro: string }
  | { readonly kind: "commands"; readonly block: string };

/** Blocks of a guide: `sh` installs, `console` shows commands with their output, any other with a path is a file. */
export function readGuideSteps(text: string): GuideStep[] {
  return [...text.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)].map((match): GuideStep => {
    const [, language, path, block = ""] = match;
    if (language === "sh") return { kind: "install", commands: block.trimEnd().split("\n") };
    if (language === "console") return { kind: "commands", block };
    if (path === undefined) throw new Error(`a ${String(language)} block that names no file: ${block}`);
    // What stands between this block and the one before.
    const intro = text.slice(0, match.index).split(/^```$/m).at(-1) ?? "";
    return { kind: "file", path, text: block, intro };
  });
}

/** The commands of a `console` block, each with what the guide shows that it prints. */
export function readGuideCommands(block: string): { readonly command: string; readonly output: string }[] {
  return block
    .split(/^(?=\$ )/m)
    .filter((part) => part.startsWith("$ "))
    .map((part) => {
      const end = part.indexOf("\n");
      return { command: part.slice(2, end), output: part.slice(end + 1) };
    });
}

/** What a command printed on both outputs, and its exit code. */
export interface GuideRun {
  readonly printed: string;
  readonly exitCode: number | null;
}

/** An empty folder in which `npx promptfold` is the command as installed. */
export class GuideFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), "promptfold-guide-"));
  readonly #environment: NodeJS.ProcessEnv;

  constructor() {
    // Through a link, found by an `npx` that does not ask the registry.
    const bin = join(this.path, "node_modules", ".bin");
    mkdirSync(bin, { recursive: true });
    symlinkSync(join(root, "apps", "cli", "bin", "promptfold.js"), join(bin, "promptfold"));
    const npx = join(bin, "npx");
    writeFileSync(npx, `#!/bin/sh\ncommand=$1\nshift\nexec "${process.execPath}" "${bin}/$command" "$@"\n`);
    chmodSync(npx, 0o755);
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(?:FORCE_COLOR|GITHUB_WORKSPACE|OPENAI_API_KEY)$/.test(name),
    );
    const path = [bin, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
    this.#environment = { ...Object.fromEntries(inherited), PATH: path, NO_COLOR: "1" };
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), text);
  }

  /**
   * The block as it should read: each command, what it prints on both outputs, and a blank line between two. A command
   * has to end with 0, unless `faults` matches what the guide shows of it: then with 1.
   */
  async runBlock(block: string, faults: RegExp): Promise<string> {
    const shown: string[] = [];
    for (const { command, output } of readGuideCommands(block)) {
      const { printed, exitCode } = await this.run(command);
      // A fault that the guide does not show must not pass for one that it does.
      expect({ command, exitCode, printed }).toMatchObject({ exitCode: faults.test(output) ? 1 : 0 });
      shown.push(`$ ${command}\n${printed.trimEnd()}`.trimEnd());
    }
    return `${shown.join("\n\n")}\n`;
  }

  /** Runs a command, with more in its environment if need be; one that watches is interrupted once it waits. */
  async run(command: string, more: Readonly<Record<string, string>> = {}): Promise<GuideRun> {
    const child = spawn("sh", ["-c", `exec 2>&1; ${command.includes("|") ? command : `exec ${command}`}`], {
      cwd: this.path,
      env: { ...this.#environment, ...more },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (command.includes("--watch") && printed.includes("watching for changes")) child.kill("SIGINT");
    });
    const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
    return { printed, exitCode };
  }
}
