import { explainOutside, findPrompts, findRoots } from "@promptfold/check";
import {
  type Bindings,
  explainName,
  inputDeclarations,
  type JournalConfig,
  parsePromptFile,
  type PromptFile,
} from "@promptfold/templating";
import { configPlaces, nameOrigin, readJournalConfig, readTemplates } from "@promptfold/templating/node";
import { type Command, InvalidArgumentError } from "commander";
import { readJsonObject } from "./read-json-object.ts";
import { readTextInput } from "./read-text-input.ts";

/** What a prompt file is personalised with, as options say. */
export interface PromptOptions {
  readonly identity?: string | undefined;
  readonly templates?: string | undefined;
  readonly context?: string | undefined;
  readonly set?: readonly string[] | undefined;
}

/** A prompt file with the values that go into it. */
export interface BoundPrompt {
  readonly file: PromptFile;
  readonly bindings: Bindings;
  /** Why the templates and the identity of the folder that the file is in are not used, and what to do; when that is so. */
  readonly outside?: string | undefined;
}

/** Adds the options that personalise a prompt file. */
export function addPromptOptions(command: Command): Command {
  return command
    .option(
      "--identity <journal.json>",
      "whose `identity` to put in (default: config/journal.json beside prompts/)",
    )
    .option("--templates <folder>", "where the templates are (default: templates/ beside prompts/)")
    .option("--context <file.json>", "variables, as one JSON object")
    .option("--set <name=value>", "one variable; may be repeated, and wins over --context", collectSettings);
}

function collectSettings(text: string, previous: readonly string[] = []): string[] {
  const at = text.indexOf("=");
  if (at === -1) throw new InvalidArgumentError("write it as name=value");
  const fault = explainName(text.slice(0, at));
  if (fault !== undefined) throw new InvalidArgumentError(fault);
  return [...previous, text];
}

/** Reads a prompt file, `-` being standard input, and all that the options name for it. */
export async function readBoundPrompt(path: string, options: PromptOptions): Promise<BoundPrompt> {
  const { name, text } = await readTextInput(path);
  const file = parsePromptFile(text, { file: name, originFile: path === "-" ? name : nameOrigin(path) });
  const { journalPath, templatesDir, outside } = placesOf(path, options);
  const bindings: Bindings = {
    context: readContext(file, options),
    identity: journalPath === undefined ? {} : (readIdentity(journalPath, options) ?? {}),
    templates: templatesDir === undefined ? undefined : readTemplates(templatesDir),
  };
  return { file, bindings, outside };
}

/** A named identity may come through a pipe. */
function readIdentity(path: string, { identity }: PromptOptions): JournalConfig["identity"] {
  return readJournalConfig(path, { mayBePipe: identity !== undefined }).identity;
}

/** The files and folders that decide what {@link readBoundPrompt} gives, also those that are not there yet. */
export function promptSources(path: string, options: PromptOptions): string[] {
  const [root] = path === "-" ? [] : findRoots([path]);
  const beside = root === undefined ? undefined : configPlaces(root);
  const sources = [
    path === "-" ? undefined : path,
    options.identity ?? beside?.journalPath,
    options.templates ?? beside?.templatesDir,
    options.context,
  ];
  return sources.filter((source) => source !== undefined);
}

/** The templates and the identity that stand beside the folder `prompts` that a file is in, unless options name others. */
function placesOf(
  path: string,
  { identity, templates }: PromptOptions,
): {
  readonly journalPath?: string | undefined;
  readonly templatesDir?: string | undefined;
  readonly outside?: string | undefined;
} {
  const beside = path === "-" ? undefined : findPrompts([path])[0];
  const given = { journalPath: identity, templatesDir: templates };
  return {
    journalPath: identity ?? beside?.journalPath,
    templatesDir: templates ?? beside?.templatesDir,
    outside: beside === undefined ? undefined : explainOutside(beside, given),
  };
}

function readContext(file: PromptFile, { context, set = [] }: PromptOptions): Record<string, unknown> {
  const values = new Map(
    context === undefined
      ? []
      : Object.entries(
          readJsonObject(context, 'variables are written as {"day": "Friday, January 24, 2026"}', true),
        ),
  );
  const types = new Map((inputDeclarations(file) ?? []).map(({ name, type }) => [name, type]));
  for (const setting of set) {
    const at = setting.indexOf("=");
    const name = setting.slice(0, at);
    values.set(name, asType(setting.slice(at + 1), types.get(name)));
  }
  return Object.fromEntries(values);
}

/**
 * A word of the command line as the type that the prompt declares; what does not fit stays a word, and is reported. So does
 * a number, which goes in as it is written.
 */
function asType(text: string, type: string | undefined): unknown {
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}
