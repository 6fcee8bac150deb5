/** What differs between Claude models for a request. */
export interface ClaudeModel {
  /** Tokens that a prefix needs to be cached. */
  readonly minimumCachedTokens: number;
  /** Whether thinking is asked for with a budget in tokens; newer models take only the adaptive form. */
  readonly takesThinkingBudget: boolean;
}

/** Minimums that stand out, by family and version; see the provider's page on prompt caching. */
const minimums: ReadonlyMap<string, number> = new Map([
  ["opus 4.5", 4096],
  ["opus 4.6", 4096],
  ["opus 4.7", 2048],
  ["haiku 4.5", 4096],
  ["haiku 3.5", 2048],
  ["haiku 3", 2048],
  ["opus 5", 512],
  ["fable 5", 512],
  ["mythos 5", 512],
]);

/** What most models ask for, and what an unknown one is taken to. */
const USUAL_MINIMUM = 1024;

/**
 * Reads a Claude model's name, in the order of the day (`claude-opus-4-8-20260601`), the older order
 * (`claude-3-5-haiku-latest`), with dots for hyphens or behind a provider's prefix. A name without a version is taken
 * for a current model, and one that is not Claude's at all for a server that speaks the API as it first was.
 */
export function claudeModel(name: string): ClaudeModel {
  const newer = /(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name);
  const older = /(\d)(?:[-.](\d))?-(opus|sonnet|haiku)/.exec(name);
  const [family, major, minor] = newer
    ? [newer[1], Number(newer[2]), Number(newer[3] ?? 0)]
    : older
      ? [older[3], Number(older[1]), Number(older[2] ?? 0)]
      : [undefined, Infinity, 0];
  const version = minor === 0 ? `${major}` : `${major}.${minor}`;
  return {
    minimumCachedTokens: minimums.get(`${family ?? ""} ${version}`) ?? USUAL_MINIMUM,
    takesThinkingBudget: !name.includes("claude") || major < 4 || (major === 4 && minor < 6),
  };
}
