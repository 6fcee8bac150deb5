import { type KnownEvent } from "@promptfold/contract";
import { type AgentState, contextItems, foldEvent, initialState } from "@promptfold/fold";
import { type CacheLimits, chooseCacheMarks } from "./cache-marks.ts";
import { frameOf, markOn } from "./define-mapping.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { historyChange } from "./history-change.ts";
import type { CacheMark, ModelBlock } from "./mapping.ts";
import { PlacedRequest } from "./place-request.ts";
import { renderItem, renderStandingMessages } from "./render-messages.ts";
import {
  cacheKey,
  compactionOffset,
  type RenderRequestOptions,
  requestSettings,
  type RequestSettings,
} from "./render-request.ts";
import { standingDocumentLength } from "./standing-document.ts";
import { WrittenForm } from "./written-form.ts";

/** A request body as bytes. */
export interface WrittenRequest {
  /** The JSON body in UTF-8: a view that is valid until the writer writes again. */
  readonly bytes: Uint8Array;
  /** Name and version of the mapping that made the body. */
  readonly mapping: string;
  readonly model: string;
  readonly blocks: readonly ModelBlock[];
  readonly marks: readonly CacheMark[];
}

/** How a writer begins, and what it writes instead of what the requests themselves ask for. */
export interface RequestWriterOptions extends RenderRequestOptions {
  /** The state to continue from; a fresh agent by default. */
  readonly from?: AgentState | undefined;
}

/**
 * Writes the requests of one agent as bytes that grow. What was sent stays as it was written: the next request costs
 * what is new in it, and where cache marks move on, the turns that they move over. The bytes are those of
 * `JSON.stringify(renderRequest(state, options).body)`, always.
 */
export class RequestWriter {
  readonly #options: RenderRequestOptions;
  readonly #cacheKey: string | undefined;
  #state: AgentState;
  /** How many items the newest request opened here had; 0 after a change of history, until the next one opens. */
  #sentItems = 0;
  #written: WrittenTimeline | undefined;

  constructor({ from = initialState, ...options }: RequestWriterOptions = {}) {
    this.#state = from;
    this.#options = options;
    this.#cacheKey = cacheKey(options.stream);
  }

  /** The agent's state after the events so far. */
  get state(): AgentState {
    return this.#state;
  }

  /** Folds one event into the state; gives the state after it. */
  add(event: KnownEvent): AgentState {
    const before = this.#state;
    const after = foldEvent(before, event);
    this.#state = after;
    if (after === before) return after;
    if (historyChange(event) !== undefined) {
      this.#sentItems = 0;
      this.#written = undefined;
    } else if (after.openRequest !== null && before.openRequest === null)
      this.#sentItems = after.items.length;
    return after;
  }

  /**
   * Writes the request as the state has it.
   *
   * @throws UnknownMappingError (`unknown-mapping`) and UnknownProtocolError (`unknown-protocol`).
   */
  write(): WrittenRequest {
    const settings = requestSettings(this.#state, this.#options, this.#cacheKey);
    if (this.#written?.fits(settings) !== true) {
      this.#written = new WrittenTimeline(this.#state, settings);
    }
    return this.#written.write(this.#state, settings, this.#sentItems);
  }
}

/** A request's blocks with the bytes that they were written as, under one mapping and protocol. */
class WrittenTimeline {
  readonly #mapping: RequestSettings["mapping"];
  readonly #protocol: string;
  readonly #placed: PlacedRequest;
  readonly #bytes = new GrowingBytes();
  readonly #form: WrittenForm;
  /** How many of the first blocks stand in a field of their own, in the head. */
  readonly #apart: number;
  /** Where each block of the list ends, before what closes its entry. */
  readonly #ends: number[] = [];
  /** Items and blocks that are written and may not change any more. */
  #safeItems: number;
  #safeBlocks: number;
  #marks: readonly CacheMark[] = [];
  #head: HeadSettings | undefined;
  #limits: { model: string; parameters: unknown; limits: CacheLimits | undefined } | undefined;

  constructor(state: AgentState, settings: RequestSettings) {
    const { mapping, protocol, protocolText, labels } = settings;
    const items = contextItems(state);
    this.#mapping = mapping;
    this.#protocol = protocol;
    this.#form = new WrittenForm(mapping.definition.layout);
    this.#placed = new PlacedRequest(renderStandingMessages(items, protocolText), mapping.definition.rules, {
      labels,
      compactionOffset: compactionOffset(state),
    });
    this.#apart = mapping.definition.rules.standing === "apart" ? this.#placed.standing : 0;
    this.#safeItems = standingDocumentLength(items);
    this.#safeBlocks = this.#placed.standing;
  }

  /** Whether what was written may be continued under these settings. */
  fits({ mapping, protocol }: RequestSettings): boolean {
    return this.#isSafe && mapping === this.#mapping && protocol === this.#protocol;
  }

  /** Whether a request was opened since the beginning: until then, sections may still change where they stand. */
  #isSafe = false;

  write(state: AgentState, settings: RequestSettings, sentItems: number): WrittenRequest {
    this.#placed.truncate(this.#safeBlocks);
    const { items } = state;
    for (let position = this.#safeItems; position < items.length; position++) {
      const message = renderItem(items.at(position));
      if (message !== undefined) this.#placed.add(message);
      if (position + 1 === sentItems) {
        this.#isSafe = true;
        this.#safeItems = sentItems;
        this.#safeBlocks = this.#placed.blocks.length;
      }
    }
    const { blocks, anchors } = this.#placed;
    const limits = this.#limitsOf(settings);
    const marks = limits === undefined ? [] : chooseCacheMarks(anchors, limits);
    this.#writeBlocks(marks);
    this.#writeHead(settings);
    const isEmpty = blocks.length === this.#apart;
    const tail = this.#mapping.definition.layout.merges && !isEmpty ? "]}]}" : "]}";
    return { bytes: this.#bytes.view(tail), mapping: this.#mapping.id, model: settings.model, blocks, marks };
  }

  #limitsOf({ model, parameters }: RequestSettings): CacheLimits | undefined {
    const known = this.#limits;
    if (known?.model === model && isSameJson(known.parameters, parameters)) return known.limits;
    const limits = this.#mapping.definition.limits(model, parameters);
    this.#limits = { model, parameters, limits };
    return limits;
  }

  /** Writes the blocks that are new, and moves marks on and off those before them. */
  #writeBlocks(marks: readonly CacheMark[]): void {
    const { blocks } = this.#placed;
    const first = Math.max(this.#apart, Math.min(this.#safeWritten, blocks.length));
    const kept = first - this.#apart;
    if (kept < this.#ends.length) {
      this.#ends.length = kept;
      this.#bytes.truncate(this.#ends[kept - 1] ?? 0);
    }
    const before = this.#marks;
    this.#marks = marks;
    for (const mark of before)
      if (mark.block < first) this.#moveMark(mark.block, mark, markOn(marks, mark.block));
    for (const mark of marks)
      if (mark.block < first && markOn(before, mark.block) === undefined)
        this.#moveMark(mark.block, undefined, mark);
    this.#reserveFor(first);
    for (let index = first; index < blocks.length; index++) {
      this.#bytes.append(this.#written(index));
      this.#ends.push(this.#bytes.length);
    }
    this.#safeWritten = this.#safeBlocks;
  }

  /** Writes one mark in place of another after a block that is written; what comes after it moves. */
  #moveMark(block: number, from: CacheMark | undefined, to: CacheMark | undefined): void {
    const index = block - this.#apart;
    if (index < 0) return; // Stands in the head, which is written anew.
    const form = this.#form.of((this.#placed.blocks[block] as ModelBlock).role);
    const [before, after] = [form.closing(from), form.closing(to)];
    const end = this.#ends[index] ?? 0;
    const growth = this.#bytes.replace(end - before.length, end, after);
    // A mark moves on by a turn or two, so these are few.
    for (let later = index; later < this.#ends.length; later++)
      this.#ends[later] = (this.#ends[later] ?? 0) + growth;
  }

  /** Makes room for all new blocks at once where there are many, as in the first request of a long history. */
  #reserveFor(first: number): void {
    const { blocks } = this.#placed;
    if (blocks.length - first < 16) return;
    let units = 0;
    for (let index = first; index < blocks.length; index++)
      units += (blocks[index] as ModelBlock).text.length;
    this.#bytes.reserve(units);
  }

  /** Blocks below this were safe when they were last written. */
  #safeWritten = 0;

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
    const { model, parameters, cacheKey } = settings;
    let marks = "";
    for (const { block, ttl } of this.#marks) if (block < this.#apart) marks += `${block}${ttl ?? ""} `;
    const next = { model, parameters, cacheKey, marks };
    if (this.#head !== undefined && isSameHead(this.#head, next)) return;
    const standing = this.#placed.blocks.slice(0, this.#apart);
    const head = this.#mapping.definition.layout.head(frameOf(settings, standing, this.#marks));
    this.#bytes.setHead(JSON.stringify(head).slice(0, -2));
    this.#head = next;
  }
}

/** What the head of a body was written from. */
interface HeadSettings {
  readonly model: string;
  readonly parameters: unknown;
  readonly cacheKey: string | undefined;
  readonly marks: string;
}

function isSameHead(a: HeadSettings, b: HeadSettings): boolean {
  return (
    a.model === b.model &&
    a.cacheKey === b.cacheKey &&
    a.marks === b.marks &&
    isSameJson(a.parameters, b.parameters)
  );
}

function isSameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
