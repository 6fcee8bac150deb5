import type { AgentConfig, Message } from "@promptfold/contract";

/** What a mapping makes a provider body from. */
export interface MappingInput {
  readonly messages: readonly Message[];
  readonly model: string;
  readonly parameters: AgentConfig["parameters"];
  /** Groups requests that share a prefix, for providers that route by it: a hash, never a path. */
  readonly cacheKey?: string | undefined;
}

/** One piece of what the model reads, in order, whatever messages the provider groups pieces into. */
export interface ModelBlock {
  readonly role: string;
  readonly text: string;
}

/** A place in the body where the provider is asked to cache the prefix. */
export interface CacheMark {
  /** Index of the marked block in the flattened sequence of blocks. */
  readonly block: number;
  /** Why it stands there. */
  readonly reason: "standing-document" | "previous-stamp" | "newest-stamp" | "compaction-edge";
}

/** What a mapping gives back. */
export interface MappedRequest<Body> {
  readonly body: Body;
  /** What the model reads of the body, cache marks removed: the prefix law is stated on it. */
  readonly blocks: readonly ModelBlock[];
  readonly marks: readonly CacheMark[];
  /** Sentences for a person: what was placed where, and why. */
  readonly explanation: readonly string[];
}

/** A named, versioned way to write messages as a provider's request body. A released version never changes. */
export interface Mapping<Body = unknown> {
  /** Name and version, such as `openai-chat@1`. */
  readonly id: string;
  map(input: MappingInput): MappedRequest<Body>;
}
