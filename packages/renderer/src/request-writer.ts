import { type KnownEvent } from "@promptfold/contract";
import { type AgentState, contextItems, foldEvent, initialState } from "@promptfold/fold";
import { type CacheLimits, chooseCacheMarks } from "./cache-marks.ts";
import { frameOf, marksByBlock } from "./define-mapping.ts";
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
  /** How many of the first blocks stand in a field of their own, in the head. */
  readonly #apart: number;
  /** Where each block of the list ends, before what closes its entry. */
  readonly #ends: number[] = [];
  /** Items and blocks that are written and may not change any more. */
  #safeItems: number;
  #safeBlocks: number;
  #marks: ReadonlyMap<number, CacheMark> = new Map();
  #head: HeadSettings | undefined;
  #limits: { model: string; parameters: unknown; limits: CacheLimits | undefined } | undefined;

  constructor(state: AgentState, settings: RequestSettings) {
    const { mapping, protocol, protocolText, labels } = settings;
    const items = contextItems(state);
    this.#mapping = mapping;
    this.#protocol = protocol;
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
    let position = this.#safeItems;
    for (const item of state.items.from(position)) {
      const message = renderItem(item);
      if (message !== undefined) this.#placed.add(message);
      if (++position === sentItems) {
        this.#isSafe = true;
        this.#safeItems = position;
        this.#safeBlocks = this.#placed.blocks.length;
      }
    }
    const { blocks, anchors } = this.#placed;
    const limits = this.#limitsOf(settings);
    const marks = limits === undefined ? [] : chooseCacheMarks(anchors, limits);
    this.#writeBlocks(marksByBlock(marks));
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

  /** Writes the blocks that are new, and those before them whose mark comes, goes or changes. */
  #writeBlocks(marks: ReadonlyMap<number, CacheMark>): void {
    const { blocks } = this.#placed;
    const first = Math.max(this.#apart, Math.min(this.#safeWritten, blocks.length));
    this.#ends.length = Math.min(this.#ends.length, first - this.#apart);
    this.#bytes.truncate(this.#ends.at(-1) ?? 0);
    for (const block of new Set([...this.#marks.keys(), ...marks.keys()])) {
      const isSame =
        marks.has(block) === this.#marks.has(block) && marks.get(block)?.ttl === this.#marks.get(block)?.ttl;
      if (!isSame && block >= this.#apart && block < first) this.#rewriteBlock(block, marks.get(block));
    }
    for (let index = first; index < blocks.length; index++) {
      this.#bytes.append(this.#chunk(index, marks.get(index)));
      this.#ends.push(this.#bytes.length);
    }
    this.#marks = marks;
    this.#safeWritten = this.#safeBlocks;
  }

  /** Writes one block anew where it stands. What comes after it moves; a mark moves on by a turn, so that is little. */
  #rewriteBlock(block: number, mark: CacheMark | undefined): void {
    const index = block - this.#apart;
    const growth = this.#bytes.replace(
      this.#ends[index - 1] ?? 0,
      this.#ends[index] ?? 0,
      this.#chunk(block, mark),
    );
    for (let later = index; later < this.#ends.length; later++)
      this.#ends[later] = (this.#ends[later] ?? 0) + growth;
  }

  /** Blocks below this were safe when they were last written. */
  #safeWritten = 0;

  #chunk(index: number, mark: CacheMark | undefined): string {
    const { layout } = this.#mapping.definition;
    const { blocks } = this.#placed;
    const block = blocks[index] as ModelBlock;
    const part = layout.part({ block, mark });
    const isFirst = index === this.#apart;
    if (!layout.merges) return `${isFirst ? "" : ","}${JSON.stringify(layout.entry(block.role, [part]))}`;
    if (!isFirst && blocks[index - 1]?.role === block.role) return `,${JSON.stringify(part)}`;
    const opening = JSON.stringify(layout.entry(block.role, [])).slice(0, -2);
    return `${isFirst ? "" : "]},"}${opening}${JSON.stringify(part)}`;
  }

  #writeHead(settings: RequestSettings): void {
    const { model, parameters, cacheKey } = settings;
    let marks = "";
    for (const [block, { ttl }] of this.#marks) if (block < this.#apart) marks += `${block}${ttl ?? ""} `;
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
