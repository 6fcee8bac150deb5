import type { AgentState } from "@promptfold/fold";
import { type CacheLimits, chooseCacheMarks, markOn } from "./cache-marks.ts";
import { definitionOf, frameOf } from "./define-mapping.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import type { CacheMark, ModelBlock } from "./mapping.ts";
import type { MappingDefinition } from "./mapping-definition.ts";
import { PlacedRequest } from "./place-request.ts";
import { renderItem, renderStandingMessages } from "./render-messages.ts";
import { compactionOffset, type RequestSettings } from "./render-request.ts";
import { standingSections } from "./standing-document.ts";
import { WrittenForm } from "./written-form.ts";

/** A request body as bytes. */
export interface WrittenRequest {
  /** The JSON body in UTF-8: a view that is valid until the writer writes again. */
  readonly bytes: Uint8Array;
  /** Name and version of the mapping that made the body. */
  readonly mapping: string;
  readonly model: string;
  /** What the model reads of it, valid as long. */
  readonly blocks: readonly ModelBlock[];
  readonly marks: readonly CacheMark[];
}

/** From so many new blocks on, their length is summed up before room is made for them. */
const MANY_BLOCKS = 16;

/** A request's blocks with the bytes that they were written as, under one mapping and protocol. */
export class WrittenTimeline {
  readonly #mapping: RequestSettings["mapping"];
  readonly #definition: MappingDefinition;
  readonly #protocol: string;
  readonly #placed: PlacedRequest;
  readonly #bytes = new GrowingBytes();
  readonly #form: WrittenForm;
  /** How many of the first blocks stand in a field of their own, in the head. */
  readonly #apart: number;
  /** Where each block of the list ends, before what closes its entry. */
  readonly #ends: number[] = [];
  /**
   * What was sent before: the items through the newest request that was opened, and the blocks that they gave. Every later
   * request begins with these as they are, so they are neither rendered nor written again. Until a request is opened it
   * is the standing document alone, which may still change where it stands.
   */
  readonly #sent: { items: number; blocks: number };
  #marks: readonly CacheMark[] = [];
  /** What the head and the limits were made from. */
  #settings: RequestSettings | undefined;
  #limits: CacheLimits | undefined;
  /** Whether the head says what it should. */
  #hasHead = false;

  constructor(state: AgentState, settings: RequestSettings) {
    const { mapping, protocol, protocolText, labels } = settings;
    const sections = standingSections(state.items);
    const definition = definitionOf(mapping);
    const { layout, rules } = definition;
    this.#mapping = mapping;
    this.#definition = definition;
    this.#protocol = protocol;
    this.#form = new WrittenForm(layout);
    this.#placed = new PlacedRequest(renderStandingMessages(sections, protocolText), rules, {
      labels,
      compactionOffset: compactionOffset(state),
    });
    this.#apart = rules.standing === "apart" ? this.#placed.standing : 0;
    this.#sent = { items: sections.length, blocks: this.#placed.standing };
  }

  /** Whether what was written may be continued under these settings. */
  fits({ mapping, protocol }: RequestSettings): boolean {
    // An opened request has a stamp, after the standing document.
    const wasSent = this.#sent.blocks > this.#placed.standing;
    return wasSent && mapping === this.#mapping && protocol === this.#protocol;
  }

  /**
   * Writes the request as a state has it, which must go on from the one written before.
   *
   * @param sentItems - how many of the state's first items the newest request that was opened had; 0 before any was
   */
  write(state: AgentState, settings: RequestSettings, sentItems: number): WrittenRequest {
    this.#keepWhatWasSent();
    this.#placeNewItems(state, sentItems);
    if (settings !== this.#settings) this.#setSettings(settings);
    const marks = this.#limits === undefined ? [] : chooseCacheMarks(this.#placed.anchors, this.#limits);
    this.#moveMarks(marks);
    if (!this.#hasHead) this.#writeHead(settings);
    this.#appendBlocks();
    const { blocks } = this.#placed;
    const isEmpty = blocks.length === this.#apart;
    const tail = this.#definition.layout.merges && !isEmpty ? "]}]}" : "]}";
    return { bytes: this.#bytes.view(tail), mapping: this.#mapping.id, model: settings.model, blocks, marks };
  }

  #setSettings(settings: RequestSettings): void {
    this.#settings = settings;
    this.#limits = this.#definition.limits(settings.model, settings.parameters);
    this.#hasHead = false;
  }

  /** Cuts blocks and bytes back to what was sent. */
  #keepWhatWasSent(): void {
    const { blocks } = this.#sent;
    this.#placed.truncate(blocks);
    const kept = Math.max(0, blocks - this.#apart);
    if (kept >= this.#ends.length) return;
    this.#ends.length = kept;
    this.#bytes.truncate(this.#ends[kept - 1] ?? 0);
  }

  /** Places what came after it, and notes how much of that was sent meanwhile. */
  #placeNewItems({ items }: AgentState, sentItems: number): void {
    for (let position = this.#sent.items; position < items.length; position++) {
      const message = renderItem(items.at(position));
      if (message !== undefined) this.#placed.add(message);
      if (position + 1 !== sentItems) continue;
      this.#sent.items = sentItems;
      this.#sent.blocks = this.#placed.blocks.length;
    }
  }

  /** Moves marks on and off the blocks that are written. */
  #moveMarks(marks: readonly CacheMark[]): void {
    const before = this.#marks;
    this.#marks = marks;
    for (const mark of before) this.#moveMark(mark.block, mark, markOn(marks, mark.block));
    for (const mark of marks)
      if (markOn(before, mark.block) === undefined) this.#moveMark(mark.block, undefined, mark);
  }

  /** Writes one mark in place of another after a block that is written; what comes after it moves. */
  #moveMark(block: number, from: CacheMark | undefined, to: CacheMark | undefined): void {
    if (isSameMark(from, to)) return;
    if (block < this.#apart) this.#hasHead = false;
    const index = block - this.#apart;
    if (index < 0 || index >= this.#ends.length) return; // Not among what is written: it will be.
    const form = this.#form.of((this.#placed.blocks[block] as ModelBlock).role);
    const [before, after] = [form.closing(from), form.closing(to)];
    const end = this.#ends[index] ?? 0;
    const growth = this.#bytes.replace(end - before.length, end, after);
    // A mark moves on by a turn or two, so these are few.
    for (let later = index; later < this.#ends.length; later++)
      this.#ends[later] = (this.#ends[later] ?? 0) + growth;
  }

  /** Writes the blocks that are new. */
  #appendBlocks(): void {
    const { blocks } = this.#placed;
    const first = this.#apart + this.#ends.length;
    this.#reserveFor(first);
    for (let index = first; index < blocks.length; index++) {
      this.#bytes.append(this.#written(index));
      this.#ends.push(this.#bytes.length);
    }
  }

  /** Makes room for all new blocks at once where there are many, as in the first request of a long history. */
  #reserveFor(first: number): void {
    const { blocks } = this.#placed;
    if (blocks.length - first < MANY_BLOCKS) return;
    let units = 0;
    for (let index = first; index < blocks.length; index++)
      units += (blocks[index] as ModelBlock).text.length;
    this.#bytes.reserve(units);
  }

  #written(index: number): string {
    const { blocks } = this.#placed;
    const { role, text } = blocks[index] as ModelBlock;
    const form = this.#form.of(role);
    const opening =
      index === this.#apart
        ? form.first
        : blocks[index - 1]?.role === role
          ? form.afterSame
          : form.afterOther;
    return opening + JSON.stringify(text) + form.closing(markOn(this.#marks, index));
  }

  #writeHead(settings: RequestSettings): void {
    const standing = this.#placed.blocks.slice(0, this.#apart);
    const head = this.#definition.layout.head(frameOf(settings, standing, this.#marks));
    this.#bytes.setHead(JSON.stringify(head).slice(0, -"]}".length));
    this.#hasHead = true;
  }
}

function isSameMark(a: CacheMark | undefined, b: CacheMark | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.ttl === b.ttl;
}
