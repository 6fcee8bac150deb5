import { alignValues } from "./align-values.ts";
import {
  bindTokens,
  type ExplainedSpan,
  explainTokens,
  MOST_RENDERED,
  type PlacedToken,
  tooLarge,
} from "./bind-tokens.ts";
import { type CompiledTemplate, fillOnce, fillTemplate, knownTemplate } from "./compile-template.ts";
import { expandTemplates, type Piece } from "./expand-templates.ts";
import type { PromptFile } from "./prompt-file.ts";
import { type Bindings, bindVariables, type BoundVariables } from "./variables.ts";

/**
 * The personalised body of a prompt file, section tags included: for reading, and for prompts without sections. A value
 * in it may look like a tag; events come from `promptSections`, never from this text.
 *
 * @throws InvalidVariableError, TemplateCycleError, PromptTooLargeError
 */
export function renderPrompt(file: PromptFile, bindings: Bindings): string {
  const { body } = file;
  const { templates, context = {} } = bindings;
  const compiled = knownTemplate(body);
  if (templates !== undefined && compiled?.names.some((name) => templates.has(name)) !== false) {
    const { pieces, variables } = expandPrompt(file, bindings);
    return bindTokens(placeTokens(pieces), variables, file.file);
  }
  // Without templates the body is one piece.
  const variables = bindVariables(file, bindings);
  const lookUp = (name: string): string | undefined => variables.get(name)?.value;
  if (compiled === undefined) {
    const text = fillOnce(body, lookUp, MOST_RENDERED);
    if (text.length > MOST_RENDERED) throw tooLarge(file.file);
    return text;
  }
  const values = valuesOf(compiled, context, lookUp);
  if (isTooLong(body, compiled, values)) throw tooLarge(file.file);
  return fillTemplate(compiled, values);
}

/** Whether a template would be too long with its values put in. */
function isTooLong(
  body: string,
  { texts, slots, raws }: CompiledTemplate,
  values: readonly (string | undefined)[],
): boolean {
  let longest = 0;
  for (const value of values) if (value !== undefined && value.length > longest) longest = value.length;
  // Seldom more than the shortest of estimates is needed.
  if (body.length + longest * slots.length <= MOST_RENDERED) return false;
  let length = 0;
  for (const text of texts) length += text.length;
  slots.forEach((slot, index) => {
    length += (values[slot] ?? raws[index] ?? "").length;
  });
  return length > MOST_RENDERED;
}

/** Values of a template's names: what the context gives wins, so that only for others the tiers are asked. */
function valuesOf(
  compiled: CompiledTemplate,
  context: Readonly<Record<string, unknown>>,
  lookUp: (name: string) => string | undefined,
): readonly (string | undefined)[] {
  const values = alignValues(compiled, context);
  for (let index = 0; index < values.length; index += 1) {
    if (typeof values[index] !== "string") values[index] = lookUp(compiled.names[index] as string);
  }
  return values as (string | undefined)[];
}

/**
 * Where every span of {@link renderPrompt}'s text came from: a file and line, or a variable and its tier. Joined, the
 * spans' texts are that text.
 *
 * @throws InvalidVariableError, TemplateCycleError, PromptTooLargeError
 */
export function explainPrompt(file: PromptFile, bindings: Bindings): ExplainedSpan[] {
  const { pieces, variables } = expandPrompt(file, bindings);
  return explainTokens(placeTokens(pieces), variables);
}

/** Resolves a file's variables and puts its templates in. */
export function expandPrompt(
  file: PromptFile,
  bindings: Bindings,
): { readonly pieces: readonly Piece[]; readonly variables: BoundVariables } {
  const variables = bindVariables(file, bindings);
  const pieces = expandTemplates(file, bindings.templates, (name) => variables.get(name) !== undefined);
  return { pieces, variables };
}

function* placeTokens(pieces: readonly Piece[]): Generator<PlacedToken, void, undefined> {
  for (const { source, tokens } of pieces) {
    for (const token of tokens) yield { source, token, text: token.dollar ? "$" : token.raw };
  }
}
