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

/**
 * A state with some fields changed. Written out, since this runs for every event and an object spread of this many
 * fields costs ten times as much.
 */
export function withChanges(state: AgentState, changes: Partial<AgentState>): AgentState {
  return {
    created: changes.created ?? state.created,
    items: changes.items ?? state.items,
    latestPositions: changes.latestPositions ?? state.latestPositions,
    sentThrough: changes.sentThrough ?? state.sentThrough,
    externalThrough: changes.externalThrough ?? state.externalThrough,
    pendingTrigger: changes.pendingTrigger === undefined ? state.pendingTrigger : changes.pendingTrigger,
    openRequest: changes.openRequest === undefined ? state.openRequest : changes.openRequest,
    paused: changes.paused ?? state.paused,
    autonomousTurnCount: changes.autonomousTurnCount ?? state.autonomousTurnCount,
    consecutiveLlmFailures: changes.consecutiveLlmFailures ?? state.consecutiveLlmFailures,
    config: changes.config ?? state.config,
    tokenUsage: changes.tokenUsage ?? state.tokenUsage,
    scripts: changes.scripts ?? state.scripts,
    summary: changes.summary ?? state.summary,
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
  return withChanges(state, { items, latestPositions: indexSections(items) });
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
