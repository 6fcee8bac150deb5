import type { Token } from "./compile-template.ts";
import { PromptTooLargeError } from "./errors.ts";
import type { PromptFile } from "./prompt-file.ts";
import type { BoundVariables, Tier } from "./variables.ts";

/** The most a rendered prompt may hold, in UTF-16 units. */
export const MOST_RENDERED = 64_000_000;

/** A token of a file, at a place in its body. */
export interface PlacedToken {
  readonly source: PromptFile;
  readonly token: Token;
  /** What stands for the token when it is not a variable. */
  readonly text: string;
}

/**
 * A span of rendered text and where it came from: text that the author wrote at `file:line:column`, or the value of the
 * variable that the author placed there. A placeholder that nothing is bound to is
 * authored text, with its name in `unbound`.
 */
export interface ExplainedSpan {
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly variable?: { readonly name: string; readonly tier: Tier; readonly derivedFrom?: string };
  /** The name of a placeholder that nothing is bound to. */
  readonly unbound?: string;
}

/** Joins tokens with the variables' values. Values are put in as they are and never scanned. */
export function bindTokens(placed: Iterable<PlacedToken>, variables: BoundVariables, file: string): string {
  let result = "";
  for (const { token, text } of placed) {
    result += token.name === undefined ? text : (variables.get(token.name)?.value ?? text);
    if (result.length > MOST_RENDERED) throw tooLarge(file);
  }
  return result;
}

/** The error of a prompt that grows beyond what it may hold. */
export function tooLarge(file: string): PromptTooLargeError {
  return new PromptTooLargeError(file, `the rendered prompt has more than ${MOST_RENDERED} characters`);
}

/** The same text as {@link bindTokens} gives, as spans that say where each part came from. */
export function explainTokens(placed: Iterable<PlacedToken>, variables: BoundVariables): ExplainedSpan[] {
  const spans: ExplainedSpan[] = [];
  for (const { source, token, text } of placed) {
    const place = { file: source.file, ...source.locate(source.bodyStart + token.start) };
    const variable = token.name === undefined ? undefined : variables.get(token.name);
    if (variable === undefined) {
      if (token.name !== undefined) spans.push({ text, ...place, unbound: token.name });
      else if (text !== "") spans.push({ text, ...place });
      continue;
    }
    const { name, tier, derivedFrom } = variable;
    spans.push({
      text: variable.value,
      ...place,
      variable: { name, tier, ...(derivedFrom === undefined ? {} : { derivedFrom }) },
    });
  }
  return spans;
}
