import type { CacheRules } from "./cache-rules.ts";

/** A setting that is part of what is cached. */
export interface CacheSetting {
  readonly name: string;
  /** What a cache can still give when it changes: nothing, or the tools and the system text. */
  readonly keeps: "nothing" | "lead";
}

const ofPrompt = ["model", "response_format", "text", "output_format"].map((name): CacheSetting => ({
  name,
  keeps: "nothing",
}));
const ofMessages = ["tool_choice", "thinking"].map((name): CacheSetting => ({ name, keeps: "lead" }));

/**
 * The settings whose change by itself empties a cache: those of any API that are part of the prompt, and Anthropic's
 * that are part of its messages, through whatever API its model is reached.
 */
export function cacheSettings({ kind }: CacheRules): readonly CacheSetting[] {
  return kind === "marks" ? withMessages : ofPrompt;
}

const withMessages: readonly CacheSetting[] = [...ofPrompt, ...ofMessages];
