import type { Message } from "@promptfold/contract";
import type { CacheAnchor } from "./cache-marks.ts";
import type { CacheMark, MappingInput, ModelBlock, PlacementRules } from "./mapping.ts";
import { isStandingMessage, placeMessage, placeStanding } from "./place-messages.ts";
import { utf8Length } from "./utf8-length.ts";

/** Bytes are counted up to here: above what any provider asks of a prefix before it caches it. */
const COUNTED_BYTES = 8192;

/** The blocks of a request as a mapping places them, and the places where it may be marked; grows by one message. */
export class PlacedRequest {
  readonly blocks: ModelBlock[] = [];
  /** How many of the first blocks are the protocol message and the standing document. */
  readonly standing: number;
  readonly #rules: PlacementRules;
  readonly #compactionOffset: number | undefined;
  readonly #anchors = new Map<CacheMark["reason"], CacheAnchor>();
  #bytes = 0;

  constructor(
    standing: readonly Message[],
    rules: PlacementRules,
    { labels, compactionOffset }: Pick<MappingInput, "labels" | "compactionOffset">,
  ) {
    this.#rules = rules;
    this.#compactionOffset = compactionOffset;
    for (const block of placeStanding(standing, rules, labels)) this.#push(block);
    this.standing = this.blocks.length;
    this.#anchor("standing-document");
  }

  /** All of a request's messages, placed. */
  static from(input: MappingInput, rules: PlacementRules): PlacedRequest {
    const { messages } = input;
    const end = messages.findIndex((message) => !isStandingMessage(message));
    const standing = end === -1 ? messages.length : end;
    const placed = new PlacedRequest(messages.slice(0, standing), rules, input);
    for (let index = standing; index < messages.length; index++) placed.add(messages[index] as Message);
    return placed;
  }

  /** Places the next message of the timeline; returns its block. */
  add(message: Message): ModelBlock {
    const block = placeMessage(message, this.#rules, this.blocks.length > this.standing);
    this.#push(block);
    const { kind, offset } = message.from;
    if (kind === "request") {
      const previous = this.#anchors.get("newest-stamp");
      if (previous !== undefined)
        this.#anchors.set("previous-stamp", { ...previous, reason: "previous-stamp" });
      this.#anchor("newest-stamp");
    } else if (kind === "message" && offset === this.#compactionOffset) this.#anchor("compaction-edge");
    return block;
  }

  /** The places that may be marked, as the messages so far give them. */
  get anchors(): CacheAnchor[] {
    return [...this.#anchors.values()];
  }

  #push(block: ModelBlock): void {
    this.blocks.push(block);
    if (this.#bytes < COUNTED_BYTES) this.#bytes += utf8Length(block.text);
  }

  #anchor(reason: CacheMark["reason"]): void {
    const block = this.blocks.length - 1;
    if (block >= 0) this.#anchors.set(reason, { block, reason, bytes: this.#bytes });
  }
}
