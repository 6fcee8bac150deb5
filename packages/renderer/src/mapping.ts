import type { AgentConfig, MessageOrigin } from "@promptfold/contract";
import type { RenderedMessage, SectionStart } from "./render-messages.ts";

/** What a mapping makes a provider body from. */
export interface MappingInput {
  readonly messages: readonly RenderedMessage[];
  readonly model: string;
  readonly parameters: AgentConfig["parameters"];
  /** Groups requests that share a prefix, for providers that route by it: a hash, never a path. */
  readonly cacheKey?: string | undefined;
  /** What the protocol says of labels; a mapping that labels user blocks sends it along with the protocol message. */
  readonly labels?: string | undefined;
  /** Offset of the summary that the newest compaction left, while it stands in the context. */
  readonly compactionOffset?: number | undefined;
}

/** One piece of what the model reads, in order, whatever messages the provider groups pieces into. */
export interface ModelBlock {
  /** The role as the provider names it. */
  readonly role: string;
  readonly text: string;
  /** What it was made from; where messages are joined, the first of them. */
  readonly from?: MessageOrigin | undefined;
  /** Where in the text the sections begin that it was made of; absent where it holds none, or is joined. */
  readonly sections?: readonly SectionStart[] | undefined;
  /** Where a mapping joins messages in one block: the part of each, in order. Put together they are `text`. */
  readonly joined?: readonly ModelBlock[] | undefined;
}

/** A place in the body where the provider is asked to cache the prefix. */
export interface CacheMark {
  /** Index of the marked block in the flattened sequence of blocks. */
  readonly block: number;
  /** Why it stands there. */
  readonly reason: "standing-document" | "previous-stamp" | "newest-stamp" | "compaction-edge";
  /** How long the provider is asked to keep it, where that can be chosen; its own default otherwise. */
  readonly ttl?: "5m" | "1h" | undefined;
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
