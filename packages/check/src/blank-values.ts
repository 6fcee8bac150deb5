import type { PromptLayout } from "@promptfold/templating";

type PlacedTokens = ReturnType<PromptLayout["tokensOf"]>;

/** The variables that a text consists of, blanks aside, when all of them are blank; undefined for any other text. */
export function blankValues(
  tokens: PlacedTokens,
  isBlank: (name: string) => boolean,
): readonly string[] | undefined {
  const names = new Set<string>();
  for (const { token, text } of tokens) {
    if (token.name === undefined ? text.trim() !== "" : !isBlank(token.name)) return undefined;
    if (token.name !== undefined) names.add(token.name);
  }
  return [...names];
}
