import type {
  AgentSummary,
  OpenRequest,
  PendingTrigger,
  RunningScript,
  SectionItem,
  TokenUsage,
} from "@promptfold/contract";
import { Map as PersistentMap } from "immutable";
import { ItemSequence } from "./item-sequence.ts";

/** An agent as its events made it. Immutable: folding another event gives another state and leaves this one alone. */
export interface AgentState {
  /** Whether `agent/created` was seen. */
  readonly created: boolean;
  /** The context, in position order; `contextItems` gives it as an array. */
  readonly items: ItemSequence;
  /** Position in `items` of each section key's latest occurrence. */
  readonly latestPositions: PersistentMap<string, number>;
  /** Everything through this offset was sent, or stands for what was. */
  readonly sentThrough: number;
  /** Offset of the newest external input; 0 for none. */
  readonly externalThrough: number;
  readonly pendingTrigger: PendingTrigger | null;
  readonly openRequest: OpenRequest | null;
  readonly paused: boolean;
  /** Requests opened by the agent's own loop since the last external input or resume. */
  readonly autonomousTurnCount: number;
  /** Failed requests since the last success or external input. */
  readonly consecutiveLlmFailures: number;
  /** The merged configuration patches, without defaults; `agentConfig` fills those in. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly tokenUsage: TokenUsage;
  /** Scripts requested and not settled, by `executionId`. */
  readonly scripts: PersistentMap<string, RunningScript>;
  readonly summary: AgentSummary;
}

/** The state before any event. */
export const initialState: AgentState = {
  created: false,
  items: ItemSequence.empty,
  latestPositions: PersistentMap(),
  sentThrough: 0,
  externalThrough: 0,
  pendingTrigger: null,
  openRequest: null,
  paused: false,
  autonomousTurnCount: 0,
  consecutiveLlmFailures: 0,
  config: {},
  tokenUsage: {
    inputTokens: 0,
    outputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningOutputTokens: 0,
    latest: null,
  },
  scripts: PersistentMap(),
  summary: {},
};

/** A state that its holder may still change: `edit` gives one. */
export type EditableState = { -readonly [Field in keyof AgentState]: AgentState[Field] };

/**
 * The state that a rule changes: a copy, so that the state that it was made from stays as it is. A batch's own state,
 * which nobody else sees, is changed in place. Rules read what they need of the old state before they write over it.
 */
export function edit(state: AgentState): EditableState {
  return Object.getPrototypeOf(state) === batchPrototype ? state : copyState(state);
}

/** Tells a batch's own state from any other. */
const batchPrototype: object = {};

/** Begins a batch: a state that the rules change in place. It must not be handed out before {@link endBatch}. */
export function beginBatch(state: AgentState): AgentState {
  const batch: EditableState = Object.assign(Object.create(batchPrototype) as object, state);
  batch.items = state.items.toOwned();
  batch.latestPositions = state.latestPositions.asMutable();
  return batch;
}

/** Ends a batch with a state like any other. */
export function endBatch(state: AgentState): AgentState {
  const next = copyState(state);
  next.items = state.items.toShared();
  next.latestPositions = state.latestPositions.asImmutable();
  return next;
}

/** Written out: an object spread of this many fields costs ten times as much, and this runs for every event. */
function copyState(state: AgentState): EditableState {
  return {
    created: state.created,
    items: state.items,
    latestPositions: state.latestPositions,
    sentThrough: state.sentThrough,
    externalThrough: state.externalThrough,
    pendingTrigger: state.pendingTrigger,
    openRequest: state.openRequest,
    paused: state.paused,
    autonomousTurnCount: state.autonomousTurnCount,
    consecutiveLlmFailures: state.consecutiveLlmFailures,
    config: state.config,
    tokenUsage: state.tokenUsage,
    scripts: state.scripts,
    summary: state.summary,
  };
}

/** A key's latest occurrence, or undefined when no section of that key stands. */
export function latestSection(state: AgentState, key: string): SectionItem | undefined {
  const position = state.latestPositions.get(key);
  if (position === undefined) return undefined;
  const item = state.items.at(position);
  if (item.kind !== "section") throw new Error(`position ${position} of key "${key}" holds no section`);
  return item;
}

/** The state with its context rebuilt from a list, for the rare events that change past positions. */
export function withItems(state: AgentState, items: ItemSequence): AgentState {
  const next = edit(state);
  next.items = items;
  next.latestPositions = indexSections(items);
  return next;
}

/** Where each section key occurs last. */
export function indexSections(items: ItemSequence): PersistentMap<string, number> {
  return PersistentMap<string, number>().withMutations((positions) => {
    let position = 0;
    for (const item of items) {
      if (item.kind === "section") positions.set(item.key, position);
      position++;
    }
  });
}
