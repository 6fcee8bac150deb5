import type { CacheAnchor } from "./cache-marks.ts";
import type { CacheMark, MappingInput, ModelBlock } from "./mapping.ts";
import type { PlacementRules } from "./mapping-definition.ts";
import { isStandingMessage, placeMessage, placeStanding } from "./place-messages.ts";
import type { RenderedMessage } from "./render-messages.ts";
import { utf8Length } from "./utf8-length.ts";

/** Bytes are counted up to here: above what any provider asks of a prefix before it caches it. */
const COUNTED_BYTES = 8192;

/**
 * The blocks of a request as a mapping places them, and the places where it may be marked. Grows by one message at a
 * time, and can be cut back to what it was.
 */
export class PlacedRequest {
  readonly blocks: ModelBlock[] = [];
  /** How many of the first blocks are the protocol message and the standing document. */
  readonly standing: number;
  readonly #rules: PlacementRules;
  readonly #compactionOffset: number | undefined;
  /** Bytes through each of the first blocks, as far as they are counted. */
  readonly #bytes: number[] = [];
  readonly #stamps: number[] = [];
  #compactionEdge: number | undefined;

  constructor(
    standing: readonly RenderedMessage[],
    rules: PlacementRules,
    { labels, compactionOffset }: Pick<MappingInput, "labels" | "compactionOffset">,
  ) {
    this.#rules = rules;
    this.#compactionOffset = compactionOffset;
    for (const block of placeStanding(standing, rules, labels)) this.#push(block);
    this.standing = this.blocks.length;
  }

  /** All of a request's messages, placed. */
  static from(input: MappingInput, rules: PlacementRules): PlacedRequest {
    const { messages } = input;
    const end = messages.findIndex((message) => !isStandingMessage(message));
    const standing = end === -1 ? messages.length : end;
    const placed = new PlacedRequest(messages.slice(0, standing), rules, input);
    for (let index = standing; index < messages.length; index++)
      placed.add(messages[index] as RenderedMessage);
    return placed;
  }

  /** Places the next message of the timeline. */
  add(message: RenderedMessage): void {
    const { kind, offset } = message.from;
    if (kind === "request") this.#stamps.push(this.blocks.length);
    else if (kind === "message" && offset === this.#compactionOffset)
      this.#compactionEdge = this.blocks.length;
    this.#push(placeMessage(message, this.#rules, this.blocks.length > this.standing));
  }

  /** Takes away every block from a place in the timeline on. */
  truncate(length: number): void {
    if (length >= this.blocks.length) return;
    this.blocks.length = length;
    if (length < this.#bytes.length) this.#bytes.length = length;
    while ((this.#stamps.at(-1) ?? -1) >= length) this.#stamps.pop();
    if ((this.#compactionEdge ?? -1) >= length) this.#compactionEdge = undefined;
  }

  /** The places that may be marked, as the messages so far give them. */
  get anchors(): CacheAnchor[] {
    const anchors: CacheAnchor[] = [];
    const add = (block: number | undefined, reason: CacheMark["reason"]): void => {
      if (block === undefined || block < 0) return;
      anchors.push({ block, reason, bytes: this.#bytes[block] ?? this.#bytes.at(-1) ?? 0 });
    };
    add(this.standing - 1, "standing-document");
    add(this.#compactionEdge, "compaction-edge");
    add(this.#stamps.at(-2), "previous-stamp");
    add(this.#stamps.at(-1), "newest-stamp");
    return anchors;
  }

  #push(block: ModelBlock): void {
    const before = this.#bytes.at(-1) ?? 0;
    if (before < COUNTED_BYTES) this.#bytes.push(before + utf8Length(block.text));
    this.blocks.push(block);
  }
}
