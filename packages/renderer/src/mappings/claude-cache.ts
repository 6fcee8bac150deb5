import type { AgentConfig } from "@promptfold/contract";
import type { CacheLimits } from "../cache-marks.ts";
import type { CacheMark } from "../mapping.ts";
import { claudeModel } from "./claude-models.ts";

/** Asks Anthropic to cache everything through a block. */
// A type and not an interface, which the AI SDK's index signature would not take.
export type AnthropicCacheControl = { readonly type: "ephemeral"; readonly ttl?: "5m" | "1h" };

/** How many blocks a cache mark of Anthropic's looks back, its own among them, for a prefix that is cached already. */
export const CLAUDE_LOOK_BACK_BLOCKS = 20;

/** How many cache marks Anthropic takes in a request; it refuses one with more. */
export const CLAUDE_MAX_MARKS = 4;

/** A cache mark in Anthropic's words. */
export function cacheControl({ ttl }: CacheMark): AnthropicCacheControl {
  return ttl === undefined ? { type: "ephemeral" } : { type: "ephemeral", ttl };
}

/** What Anthropic allows of cache marks; `cacheTtl: "1h"` among the parameters keeps what never changes for an hour. */
export function claudeCacheLimits(model: string, parameters: AgentConfig["parameters"]): CacheLimits {
  return {
    maxMarks: CLAUDE_MAX_MARKS,
    lookBackBlocks: CLAUDE_LOOK_BACK_BLOCKS,
    minimumTokens: claudeModel(model).minimumCachedTokens,
    standingTtl: parameters["cacheTtl"] === "1h" ? "1h" : undefined,
  };
}
