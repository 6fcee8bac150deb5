import { basename, dirname, relative, sep } from "node:path";
import { statSync } from "node:fs";
import { findPrompts } from "@promptfold/check";
import {
  type InputDeclaration,
  inputDeclarations,
  inputTypes,
  parsePromptFile,
} from "@promptfold/templating";
import type { Command } from "commander";
import { InputError } from "../errors.ts";
import { readText } from "@promptfold/templating/node";
import type { Outcome } from "../outcome.ts";
import { reportError } from "../report-error.ts";
import { sayNote } from "../terminal/say-note.ts";
import { writeJson, writeOut } from "../terminal/write-out.ts";

interface TypesOptions {
  readonly json?: true;
}

/** `promptfold types`: a TypeScript declaration of the inputs that prompt files declare. */
export function addTypesCommand(program: Command, outcome: Outcome): void {
  program
    .command("types")
    .summary("write a TypeScript declaration of the inputs that prompts declare")
    .description(
      "Prints an interface with the inputs of every prompt file that declares some, so that a caller's compiler checks " +
        "what is handed to a prompt. A file at fault is told of and left out, and the command exits with 1.",
    )
    .argument("[path...]", "prompt files and folders of them (default: the current folder)")
    .option("--json", "the declarations as JSON")
    .addHelpText(
      "after",
      `
Example:
  promptfold types prompts > src/prompt-inputs.d.ts`,
    )
    .action(async (paths: readonly string[], { json }: TypesOptions) => {
      const { prompts, errors } = readDeclarations(paths.length === 0 ? ["."] : paths);
      if (json === true) await writeJson(prompts);
      else await writeOut(inputTypes(prompts));
      if (prompts.length === 0 && errors.length === 0)
        sayNote(undefined, "no prompt here declares inputs; declare them in the frontmatter under input");
      for (const error of errors)
        outcome.exitCode = reportError(error, { isDebugging: false, command: "types" });
    });
}

interface DeclaredPrompt {
  readonly name: string;
  readonly path: string;
  readonly inputs: readonly InputDeclaration[];
}

function readDeclarations(paths: readonly string[]): {
  prompts: readonly DeclaredPrompt[];
  errors: readonly unknown[];
} {
  const prompts = new Map<string, DeclaredPrompt>();
  const errors: unknown[] = [];
  for (const { name, path } of paths.flatMap(namePrompts)) {
    try {
      const inputs = inputDeclarations(
        parsePromptFile(readText(path, { mayBePipe: paths.includes(path) }), { file: path }),
      );
      if (inputs === undefined) continue;
      const other = prompts.get(name);
      if (other === undefined) prompts.set(name, { name, path, inputs });
      else if (other.path !== path)
        errors.push(
          new InputError(`${path}: ${other.path} is called ${name} too; rename one, or write types for each`),
        );
    } catch (error) {
      errors.push(error);
    }
  }
  return { prompts: [...prompts.values()], errors };
}

/** The prompt files under a path, by the names that a loader finds them with: the path inside `prompts`, without `.md`. */
function namePrompts(path: string): { readonly name: string; readonly path: string }[] {
  return findPrompts([path]).flatMap(({ prompts }) =>
    prompts.map((prompt) => {
      const inside = relative(baseOf(path, prompt), prompt).split(sep).join("/");
      return { name: inside.replace(/\.md$/, ""), path: prompt };
    }),
  );
}

/** The folder that a prompt's name counts from: the nearest one called `prompts`, else the given one. */
function baseOf(path: string, prompt: string): string {
  for (let at = dirname(prompt), above = dirname(at); at !== above; at = above, above = dirname(at)) {
    if (basename(at) === "prompts") return at;
  }
  return statSync(path).isDirectory() ? path : dirname(path);
}
