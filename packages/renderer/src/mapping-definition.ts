import type { AgentConfig } from "@promptfold/contract";
import type { CacheLimits } from "./cache-marks.ts";
import type { CacheMark, MappingInput } from "./mapping.ts";

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
