import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { listPublicPackages, root } from "./list-packages.ts";

/** What the guide asks its reader to do, in order. */
type Step =
  | { readonly kind: "install"; readonly commands: readonly string[] }
  | { readonly kind: "file"; readonly path: string; readonly text: string; readonly intro: string }
  | { readonly kind: "commands"; readonly block: string };

const guide = readFileSync(join(root, "docs", "authors.md"), "utf8");
const steps = readSteps(guide);
const folder = mkdtempSync(join(tmpdir(), "promptfold-guide-"));
const environment = makeEnvironment();
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test("a reader who follows the guide sees what it shows", { timeout: 240_000 }, async () => {
  for (const step of steps) {
    if (step.kind === "file") {
      writeInFolder(step.path, step.text);
      expect(step.intro).toContain(`\`${step.path}\``);
    } else if (step.kind === "commands") {
      expect(await runBlock(step.block)).toBe(step.block);
    } else {
      for (const name of ["prompts", "templates", "config"]) mkdirSync(join(folder, name));
    }
  }
});

test("every block of the guide is followed, and its CI runs what its reader ran", () => {
  const blocks = guide.match(/^```\w+/gm) ?? [];
  expect(steps).toHaveLength(blocks.length);
  expect(steps[0]).toEqual({
    kind: "install",
    commands: [
      "mkdir garden && cd garden",
      "npm install --save-dev promptfold",
      "mkdir prompts templates config",
    ],
  });
  const inConsole = steps.flatMap((step) => (step.kind === "commands" ? readCommands(step.block) : []));
  const inCi = [...guide.matchAll(/- run: (npx .+)$/gm)].map(([, command = ""]) => command);
  expect(inCi).not.toEqual([]);
  expect(inConsole.map(({ command }) => command)).toEqual(expect.arrayContaining(inCi));
});

test("the files and schemas that the guide names are there", () => {
  const links = [...guide.matchAll(/\]\((\.\.?\/[^)#]+)\)/g)].map(([, link = ""]) => link);
  const schemas = [...guide.matchAll(/\.\/(node_modules\/@promptfold\/templating\/schemas\/[\w-]+\.json)/g)];
  expect(links.length).toBeGreaterThan(2);
  for (const link of links) expect(readFileSync(join(root, "docs", link), "utf8")).not.toBe("");
  const names = schemas.map(([, path = ""]) => path.replace(/.*\//, ""));
  expect([...new Set(names)].sort()).toEqual(["frontmatter.json", "journal.json"]);
  for (const [, path = ""] of schemas) {
    const schema = join(root, path.replace("node_modules/@promptfold", "packages"));
    expect(JSON.parse(readFileSync(schema, "utf8"))).toHaveProperty("$schema");
  }
});

test("the packages that the guide packs and the schemas of a clone are where it says", () => {
  const contributing = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const commands = [...`${guide}${contributing}`.matchAll(/npx pnpm (\S+) "(\S+)\.\.\." exec pnpm pack/g)];
  const packed = commands.map(([, , name]) => name);
  expect(packed).toEqual(["promptfold", "@promptfold/check", "@promptfold/fold"]);
  const names = listPublicPackages().map(({ manifest }) => manifest.name);
  // What a package only needs to be tested is no part of it, and is private.
  for (const [, filter = "", name = ""] of commands) {
    const chosen = listChosenPackages(filter, `${name}...`);
    expect(chosen).toContain(name);
    expect(names).toEqual(expect.arrayContaining(chosen));
  }
  const [, schemas = ""] = /`\.\.\/(packages\/[\w/]+schemas)\/`/.exec(guide) ?? [];
  expect(readdirSync(join(root, schemas)).sort()).toEqual(["frontmatter.json", "journal.json"]);
});

/** The packages that a filter of pnpm chooses. */
function listChosenPackages(filter: string, value: string): string[] {
  const pnpm = join(root, "node_modules", ".bin", "pnpm");
  const list = execFileSync(pnpm, [filter, value, "ls", "--depth", "-1", "--json"], { cwd: root });
  return (JSON.parse(list.toString()) as { name: string }[]).map(({ name }) => name);
}

/** Blocks of the guide: `sh` installs, `console` shows commands with their output, any other with a path is a file. */
function readSteps(text: string): Step[] {
  return [...text.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)].map((match): Step => {
    const [, language, path, block = ""] = match;
    if (language === "sh") return { kind: "install", commands: block.trimEnd().split("\n") };
    if (language === "console") return { kind: "commands", block };
    if (path === undefined) throw new Error(`a ${String(language)} block that names no file: ${block}`);
    // What stands between this block and the one before.
    const intro = text.slice(0, match.index).split(/^```$/m).at(-1) ?? "";
    return { kind: "file", path, text: block, intro };
  });
}

function writeInFolder(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** The command as installed: through a link, found by an `npx` that does not ask the registry. */
function makeEnvironment(): NodeJS.ProcessEnv {
  const bin = join(folder, "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(root, "apps", "cli", "bin", "promptfold.js"), join(bin, "promptfold"));
  const npx = join(bin, "npx");
  writeFileSync(npx, `#!/bin/sh\ncommand=$1\nshift\nexec "${process.execPath}" "${bin}/$command" "$@"\n`);
  chmodSync(npx, 0o755);
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:FORCE_COLOR|GITHUB_WORKSPACE)$/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
    NO_COLOR: "1",
  };
}

function readCommands(block: string): { readonly command: string; readonly output: string }[] {
  return block
    .split(/^(?=\$ )/m)
    .filter((part) => part.startsWith("$ "))
    .map((part) => {
      const end = part.indexOf("\n");
      return { command: part.slice(2, end), output: part.slice(end + 1) };
    });
}

/** The block as it should read: each command, what it prints on both outputs, and a blank line between two. */
async function runBlock(block: string): Promise<string> {
  const shown: string[] = [];
  for (const { command, output } of readCommands(block)) {
    shown.push(`$ ${command}\n${(await run(command, output)).trimEnd()}`.trimEnd());
  }
  return `${shown.join("\n\n")}\n`;
}

/** Runs a command; one that watches is interrupted once it waits. */
async function run(command: string, expected: string): Promise<string> {
  const child = spawn("sh", ["-c", `exec 2>&1; ${command.includes("|") ? command : `exec ${command}`}`], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    if (command.includes("--watch") && printed.includes("watching for changes")) child.kill("SIGINT");
  });
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  // A fault that the guide does not show must not pass for one that it does.
  if (!/error/.test(expected)) expect({ command, exitCode, printed }).toMatchObject({ exitCode: 0 });
  return printed;
}
