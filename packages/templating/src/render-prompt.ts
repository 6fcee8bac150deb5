import { bindTokens, type ExplainedSpan, explainTokens, type PlacedToken } from "./bind-tokens.ts";
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
  const { pieces, variables } = expandPrompt(file, bindings);
  return bindTokens(placeTokens(pieces), variables, file.file);
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
  const pieces = expandTemplates(file, bindings.templates, (name) => variables.all.has(name));
  return { pieces, variables };
}

function* placeTokens(pieces: readonly Piece[]): Generator<PlacedToken, void, undefined> {
  for (const { source, tokens } of pieces) {
    for (const token of tokens) yield { source, token, text: token.dollar ? "$" : token.raw };
  }
}
