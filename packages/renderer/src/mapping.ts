import type { AgentConfig, Message, MessageOrigin } from "@promptfold/contract";
import type { CacheLimits } from "./cache-marks.ts";

/** What a mapping makes a provider body from. */
export interface MappingInput {
  readonly messages: readonly Message[];
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
  /** What the mapping is made of, for those who write its bodies piece by piece. */
  readonly definition: MappingDefinition<Body>;
  map(input: MappingInput): MappedRequest<Body>;
}

/** Which roles an API has, and where. What it lacks at a place goes in as a labelled user block. */
export interface PlacementRules {
  /**
   * Where the protocol message and the standing document go: `in-place` as messages like any other; `apart` as
   * blocks of a field of their own; `joined` as one message, for servers that take a single one.
   */
  readonly standing: "in-place" | "apart" | "joined";
  /** Whether the timeline may hold system and developer messages at any place, whatever comes next. */
  readonly timelineSystem: "native" | "label";
  readonly timelineDeveloper: "native" | "label";
  /** What the API calls the assistant. */
  readonly assistant: "assistant" | "model";
  /** Whether the timeline's first message must be the user's; an assistant text that comes earlier is labelled. */
  readonly userFirst: boolean;
}

/** Everything about a body except its timeline. */
export interface BodyFrame {
  readonly model: string;
  readonly parameters: AgentConfig["parameters"];
  readonly cacheKey: string | undefined;
  /** The texts of the standing blocks, where they go into a field of their own; else empty. */
  readonly standing: readonly MarkedText[];
}

/** A block's text with the cache mark that stands on it, if one does. */
export interface MarkedText {
  readonly text: string;
  readonly mark: CacheMark | undefined;
}

/** How a provider writes a body down. The list that the timeline goes into is the body's last field. */
export type BodyLayout<Body, Entry = unknown, Part = unknown> =
  SeparateLayout<Body, Entry> | MergingLayout<Body, Entry, Part>;

/** What every layout has. */
interface AnyLayout<Body, Entry> {
  /** The body with an empty list as its last field. */
  head(frame: BodyFrame): Body;
  /** The body with its list filled. */
  fill(head: Body, entries: Entry[]): Body;
}

/** A layout in which every block is an entry of its own. */
export interface SeparateLayout<Body, Entry = unknown> extends AnyLayout<Body, Entry> {
  readonly merges: false;
  /** A block with the mark on it. Its JSON holds the text once, as one string, and whatever says the mark after it. */
  entry(role: string, text: string, mark: CacheMark | undefined): Entry;
}

/** A layout in which neighbours of one role are parts of one entry. */
export interface MergingLayout<Body, Entry = unknown, Part = unknown> extends AnyLayout<Body, Entry> {
  readonly merges: true;
  /** A text with the mark on it. Its JSON holds the text once, as one string, and whatever says the mark after it. */
  part(text: string, mark: CacheMark | undefined): Part;
  /** An entry with the list of its parts as its last field. */
  entry(role: string, parts: Part[]): Entry;
}

/** What a mapping is made of. */
export interface MappingDefinition<Body = unknown> {
  readonly id: string;
  readonly rules: PlacementRules;
  readonly layout: BodyLayout<Body>;
  /** What the API allows of cache marks for a model; undefined where it takes none. */
  limits(model: string, parameters: AgentConfig["parameters"]): CacheLimits | undefined;
  /** Sentences about this API's roles, and about its cache where no marks are planned. */
  explain(input: MappingInput): readonly string[];
}
