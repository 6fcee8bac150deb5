import {
  CONTEXT_NAMES,
  expandTemplates,
  flattenIdentity,
  type InputDeclaration,
  inputDeclarations,
  InvalidMetadataError,
  layOutPieces,
  type PromptFile,
  type PromptLayout,
  PromptTooLargeError,
  TemplateCycleError,
  upperFirstName,
} from "@promptfold/templating";
import { blankValues } from "./blank-values.ts";
import { checkBudget } from "./check-budget.ts";
import { checkFilledInputs } from "./check-filled-inputs.ts";
import { checkFrontmatter } from "./check-frontmatter.ts";
import type { CheckRun } from "./check-run.ts";
import { checkSections, tellBlank } from "./check-sections.ts";
import { checkVariables, type VariableSurroundings } from "./check-variables.ts";
import { loadTokenCounter, type TokenCounter } from "./count-tokens.ts";
import { type KnownVariables, knownVariables } from "./known-variables.ts";
import { UndefinedUses } from "./undefined-uses.ts";

/** What prompts of one group are checked with. */
export interface Surroundings extends VariableSurroundings {
  /** Undefined when it cannot be read. */
  readonly identity: Readonly<Record<string, unknown>> | undefined;
  /** Names of variables that the caller passes. */
  readonly context: readonly string[];
  /** Names whose values hide a template: those of the identity and of the caller. */
  readonly given: ReadonlySet<string>;
  /** Names of variables that are blank in the identity, with the name that each is derived from. */
  readonly blank: ReadonlyMap<string, string>;
  countTokens: TokenCounter | undefined;
}

/** What prompts are checked with, from what was read. */
export function createSurroundings({
  identity,
  templates,
  context,
  countTokens,
}: Pick<Surroundings, "identity" | "templates" | "context" | "countTokens">): Surroundings {
  const { variables, problems } = flattenIdentity(identity ?? {});
  const blank = [...variables].filter(([, value]) => value.trim() === "").map(([name]) => name);
  return {
    identity,
    templates,
    context,
    countTokens,
    given: new Set([...context, ...variables.keys(), ...problems.map(({ name }) => name)]),
    blank: new Map([
      ...blank.map((name) => [upperFirstName(name), name] as const),
      ...blank.map((name) => [name, name] as const),
    ]),
    named: new Set(),
    undefinedUses: new UndefinedUses(),
    toldUnusable: new Set(),
  };
}

/** @returns whether the file could be read */
export async function checkPrompt(run: CheckRun, path: string, surroundings: Surroundings): Promise<boolean> {
  const prompt = run.readPrompt(path);
  if (prompt === undefined) return false;
  checkFrontmatter(run, prompt);
  const expansion = checkText(run, prompt, surroundings);
  if (expansion === undefined) return true;
  checkBlank(run, prompt, expansion, surroundings);
  await checkWeight(run, prompt, surroundings);
  return true;
}

interface Expansion {
  readonly layout: PromptLayout;
  readonly known: KnownVariables;
}

/** Checks what stands below the frontmatter. @returns undefined when it cannot be expanded, which is then a finding */
export function checkText(
  run: CheckRun,
  prompt: PromptFile,
  surroundings: Surroundings,
): Expansion | undefined {
  const { templates, given } = surroundings;
  const known = knownVariables(prompt, surroundings);
  try {
    const pieces = expandTemplates(prompt, templates, (name) => given.has(name));
    checkVariables(run, prompt, pieces, known, surroundings);
    checkFilledInputs(run, prompt, known.inputs, surroundings);
    const layout = layOutPieces(pieces);
    checkSections(run, prompt, layout, { templates, isBlank: isBlankIn(known, surroundings) });
    return { layout, known };
  } catch (error) {
    if (!isExpansionFault(error)) throw error;
    reportExpansion(run, prompt, error);
    return undefined;
  }
}

/** Whether the identity says that a variable is blank, and nobody else says something of it. */
function isBlankIn({ inputs }: KnownVariables, { blank, context }: Surroundings): (name: string) => boolean {
  const others = new Set([...CONTEXT_NAMES, ...context, ...inputs.map(({ name }) => name)]);
  return (name) => {
    const origin = blank.get(name);
    return origin !== undefined && !others.has(origin) && !others.has(name);
  };
}

/** A prompt that says nothing. A template may say nothing, and so may what a template is all of. */
function checkBlank(
  run: CheckRun,
  { file, body }: PromptFile,
  { layout, known }: Expansion,
  surroundings: Surroundings,
): void {
  const { spans, tokensOf } = layout;
  const [span] = spans;
  if (span === undefined || span.key !== undefined || spans.length > 1) return;
  const blank = blankValues(tokensOf(span), isBlankIn(known, surroundings));
  if (blank === undefined || (blank.length === 0 && body.trim() !== "")) return;
  const why = blank.length === 0 ? "" : `, since ${tellBlank(blank)}`;
  const message = `the prompt is blank${why}; write its text or remove the file`;
  run.report({ code: "blank-prompt", severity: "warning", message, file, line: 1, column: 1 });
}

/** Checks the budgets of a prompt or a template that can be expanded; of any other, that it cannot is told already. */
export async function checkWeight(
  run: CheckRun,
  file: PromptFile,
  surroundings: Surroundings,
  what: "prompt" | "template" = "prompt",
): Promise<void> {
  if (!Object.hasOwn(file.metadata, "budget_tokens")) return;
  surroundings.countTokens ??= await loadTokenCounter();
  const { identity = {}, templates, countTokens } = surroundings;
  const usable = flattenIdentity(identity).problems.length === 0 ? identity : {};
  try {
    checkBudget(run, { file: withoutRequirements(file), what }, { identity: usable, templates }, countTokens);
  } catch (error) {
    if (!isExpansionFault(error)) throw error;
  }
}

/** A file of whose inputs none is asked for, and any text is taken: a check has no values for them, but defaults. */
function withoutRequirements(file: PromptFile): PromptFile {
  const { input: _, ...metadata } = file.metadata;
  try {
    const inputs = inputDeclarations(file) ?? [];
    return {
      ...file,
      metadata: { ...metadata, input: inputs.map(withoutType) },
    };
  } catch (error) {
    if (InvalidMetadataError.isInstance(error)) return { ...file, metadata };
    throw error;
  }
}

function withoutType({ name, default: fallback }: InputDeclaration): Record<string, unknown> {
  return { name, required: false, ...(fallback === undefined ? {} : { default: String(fallback) }) };
}

type ExpansionFault = TemplateCycleError | PromptTooLargeError;

function isExpansionFault(error: unknown): error is ExpansionFault {
  return TemplateCycleError.isInstance(error) || PromptTooLargeError.isInstance(error);
}

function reportExpansion(run: CheckRun, prompt: PromptFile, error: ExpansionFault): void {
  if (TemplateCycleError.isInstance(error)) {
    const { line, column, file = prompt.file } = error.place;
    const message = error.message.slice(error.message.indexOf(": ") + 2);
    run.report({ code: "template-cycle", severity: "error", message, file, line, column });
  } else {
    const start = { file: prompt.file, line: 1, column: 1 };
    run.report({ code: "prompt-too-large", severity: "error", message: error.message, ...start });
  }
}
