import {
  type Bindings,
  expandTemplates,
  flattenIdentity,
  layOutPieces,
  type PromptFile,
  PromptTooLargeError,
  TemplateCycleError,
} from "@promptfold/templating";
import { adviseUndefined } from "./advise-undefined.ts";
import { checkBudget } from "./check-budget.ts";
import { checkFrontmatter } from "./check-frontmatter.ts";
import { CheckRun } from "./check-run.ts";
import { checkSections } from "./check-sections.ts";
import { checkVariables, type VariableSurroundings } from "./check-variables.ts";
import { loadTokenCounter, type TokenCounter } from "./count-tokens.ts";
import { findPrompts, type PlaceOptions, type PromptGroup } from "./find-prompts.ts";
import { findStrays } from "./find-strays.ts";
import type { CheckResult } from "./finding.ts";
import { knownVariables } from "./known-variables.ts";
import { readIdentity } from "./read-identity.ts";
import { readFolderTemplates } from "./read-folder-templates.ts";

/** How to check. */
export interface CheckOptions extends PlaceOptions {
  /** Names of variables that the caller passes besides those of the context builders. */
  readonly context?: Iterable<string> | undefined;
  /** Counts tokens for budgets; the o200k vocabulary unless given. */
  readonly countTokens?: TokenCounter | undefined;
  /** Prompts that stand in no file, as UTF-8, by the name that findings give them. */
  readonly texts?: ReadonlyMap<string, Uint8Array> | undefined;
}

/**
 * Checks prompt files, folders of them, and config folders, and reports everything that is found in the author's files
 * and lines. Nothing is written.
 *
 * @throws CheckPathError when a path is not there, cannot be read or holds no prompt
 */
export async function checkPaths(paths: readonly string[], options: CheckOptions = {}): Promise<CheckResult> {
  const groups = [...findPrompts(paths, options), ...textGroup(options)];
  const run = new CheckRun(
    options.texts,
    [...paths, options.journalPath].filter((path) => path !== undefined),
  );
  const named = new Set(groups.flatMap(({ prompts }) => prompts));
  for (const group of groups) {
    const beside = group.beside.filter((path) => !named.has(path));
    await checkGroup(run, { ...group, beside }, options);
  }
  const { sources, notes } = run;
  return { files: [...sources.keys()], findings: run.findings(), sources, notes };
}

/** What stands in no file has nothing beside it. */
function textGroup({ texts = new Map(), templatesDir, journalPath }: CheckOptions): PromptGroup[] {
  if (texts.size === 0) return [];
  return [{ prompts: [...texts.keys()], whole: false, beside: [], templatesDir, journalPath }];
}

async function checkGroup(run: CheckRun, group: PromptGroup, options: CheckOptions): Promise<void> {
  const templates =
    group.templatesDir === undefined ? undefined : readFolderTemplates(run, group.templatesDir);
  const { identity, misplaced } = readIdentity(run, group.journalPath);
  const surroundings: Surroundings = {
    identity,
    templates,
    advise: adviseUndefined(group, options, misplaced),
    context: [...(options.context ?? [])],
    countTokens: options.countTokens,
  };
  let areAllRead = true;
  for (const path of group.prompts) {
    areAllRead = (await checkPrompt(run, path, surroundings)) && areAllRead;
    checkBlank(run, path);
  }
  const names = [...flattenIdentity(identity ?? {}).variables.keys(), ...(templates?.paths.keys() ?? [])];
  for (const path of findStrays(group.beside, names))
    run.notes.push(
      `${path} names variables as a prompt does, and was not checked: it stands outside prompts/; move it there if it is one`,
    );
  if (!group.whole || templates === undefined) return;
  // What cannot be read may use a template all the same.
  const isKnown = areAllRead && templates.unreadable.size === 0;
  const unused = [...templates.paths].filter(([name]) => !templates.used.has(name));
  for (const [name, file] of unused) {
    const message = `no prompt uses $${name}; use it or remove the file`;
    if (isKnown)
      run.report({ code: "unused-template", severity: "warning", message, file, line: 1, column: 1 });
    await checkPrompt(run, file, surroundings);
  }
}

/** A prompt that says nothing. A template may say nothing, and so may what a template is all of. */
function checkBlank(run: CheckRun, path: string): void {
  const prompt = run.readPrompt(path);
  if (prompt === undefined || prompt.body.trim() !== "") return;
  const message = "the prompt is blank; write its text or remove the file";
  run.report({ code: "blank-prompt", severity: "warning", message, file: path, line: 1, column: 1 });
}

interface Surroundings extends VariableSurroundings {
  readonly identity: Readonly<Record<string, unknown>> | undefined;
  readonly context: readonly string[];
  countTokens: TokenCounter | undefined;
}

/** @returns whether the file could be read */
async function checkPrompt(run: CheckRun, path: string, surroundings: Surroundings): Promise<boolean> {
  const prompt = run.readPrompt(path);
  if (prompt === undefined) return false;
  await checkFile(run, prompt, surroundings);
  return true;
}

async function checkFile(run: CheckRun, prompt: PromptFile, surroundings: Surroundings): Promise<void> {
  const { identity, templates, context } = surroundings;
  checkFrontmatter(run, prompt);
  const known = knownVariables(prompt, identity, context);
  try {
    const pieces = expandTemplates(prompt, templates, (name) => known.names.has(name));
    checkVariables(run, prompt, pieces, known, surroundings);
    checkSections(run, prompt, layOutPieces(pieces), templates);
  } catch (error) {
    reportExpansion(run, prompt, error);
    return;
  }
  if (!Object.hasOwn(prompt.metadata, "budget_tokens")) return;
  surroundings.countTokens ??= await loadTokenCounter();
  const bindings = budgetBindings(identity ?? {}, known.inputs, templates);
  checkBudget(run, withoutInputs(prompt), bindings, surroundings.countTokens);
}

/** A file whose inputs are not asked for: a check has no values for them. */
function withoutInputs(prompt: PromptFile): PromptFile {
  const metadata = Object.fromEntries(Object.entries(prompt.metadata).filter(([field]) => field !== "input"));
  return { ...prompt, metadata };
}

function budgetBindings(
  identity: Readonly<Record<string, unknown>>,
  inputs: readonly { readonly name: string; readonly default?: unknown }[],
  templates: Bindings["templates"],
): Bindings {
  const usable = flattenIdentity(identity).problems.length === 0 ? identity : {};
  const context = Object.fromEntries(
    inputs.filter((input) => input.default !== undefined).map((input) => [input.name, input.default]),
  );
  return { identity: usable, context, templates };
}

function reportExpansion(run: CheckRun, prompt: PromptFile, error: unknown): void {
  if (TemplateCycleError.isInstance(error)) {
    const { line, column, file = prompt.file } = error.place;
    const message = error.message.slice(error.message.indexOf(": ") + 2);
    run.report({ code: "template-cycle", severity: "error", message, file, line, column });
  } else if (PromptTooLargeError.isInstance(error)) {
    const start = { file: prompt.file, line: 1, column: 1 };
    run.report({ code: "prompt-too-large", severity: "error", message: error.message, ...start });
  } else {
    throw error;
  }
}
