import {
  claudeModel,
  matchesAtBreakpoints,
  OPENAI_MINIMUM_CACHED_TOKENS,
  type ReadBody,
} from "@promptfold/renderer";
import { asksForMark, isGemini3, modelName, providerOf } from "../bodies/provider-of.ts";

/** How the API that a body speaks caches prompts. */
export interface CacheRules {
  /**
   * `prefix`: whatever two prompts begin with. `breakpoints`: the newest user or tool message and explicit breakpoints,
   * found again by any later prompt that begins with them. `marks`: only what a mark ends, found again by a mark that
   * looks at `CLAUDE_LOOK_BACK_BLOCKS` blocks for it, its own among them.
   */
  readonly kind: "prefix" | "breakpoints" | "marks";
  /** Tokens that a prefix needs to be cached. */
  readonly minimumTokens: number;
}

const GEMINI_MINIMUM = 2048;
const GEMINI_3_MINIMUM = 4096;

/** The rules of the provider that a body was sent to. */
export function cacheRules(body: ReadBody): CacheRules {
  const name = modelName(body) ?? "";
  switch (providerOf(body)) {
    case "anthropic":
      return { kind: "marks", minimumTokens: claudeModel(name).minimumCachedTokens };
    case "gemini":
      return { kind: "prefix", minimumTokens: isGemini3(body) ? GEMINI_3_MINIMUM : GEMINI_MINIMUM };
    case "openai":
      return {
        kind: matchesAtBreakpoints(name) ? "breakpoints" : "prefix",
        minimumTokens: isOpenAi(name) ? OPENAI_MINIMUM_CACHED_TOKENS : 0,
      };
  }
}

/**
 * Whether a model is one of OpenAI's own; a body that names none may be for one. Other servers that speak its API reuse
 * what they can, and no minimum of theirs is known.
 */
function isOpenAi(name: string): boolean {
  return name === "" || name === "default" || /(?:^|[/.:])(?:gpt-|chatgpt|o\d|codex)/.test(name);
}

/** After how many of a body's blocks a prefix ends that is written to the cache; undefined when every prefix is. */
export function writtenEnds(body: ReadBody, { kind }: CacheRules): readonly number[] | undefined {
  if (kind === "prefix") return undefined;
  // Each API reads its own marks and passes over those of the other.
  const wanted = kind === "marks" ? "cache-control" : "breakpoint";
  const ends = body.blocks.flatMap(({ mark }, index) => (mark === wanted ? [index + 1] : []));
  const end = kind === "marks" ? automaticMark(body) : implicitBreakpoint(body);
  return end === undefined || ends.includes(end) ? ends : [...ends, end];
}

/** Where Anthropic sets a mark by itself: at the end, when the body asks for it as a whole. */
function automaticMark(body: ReadBody): number | undefined {
  return asksForMark(body) && body.blocks.length > 0 ? body.blocks.length : undefined;
}

/** The end of the newest user or tool message, unless breakpoints are explicit alone. */
function implicitBreakpoint({ settings, blocks }: ReadBody): number | undefined {
  if (settings.get("prompt_cache_options")?.includes('"explicit"') === true) return undefined;
  const last = blocks.findLastIndex(
    ({ role }) => role === "user" || role === "tool" || role.endsWith("_output"),
  );
  return last === -1 ? undefined : last + 1;
}
