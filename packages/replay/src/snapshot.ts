import { CONTRACT_VERSION, isPlainObject } from "@promptfold/contract";
import {
  type AgentState,
  FOLD_VERSION,
  InvalidSavedStateError,
  loadState,
  saveState,
} from "@promptfold/fold";
import type { HistoryChange } from "./replay-state.ts";

/** A saved state that stands for a stream's events through an offset: the key and the text that a journal keeps. */
export interface StateSnapshot {
  readonly foldVersion: string;
  readonly contractVersion: string;
  readonly offset: number;
  /** JSON: what `saveState` gives, and the changes of history that were noticed on the way. */
  readonly state: string;
}

/** What a snapshot holds. */
export interface ReadSnapshot {
  readonly offset: number;
  readonly state: AgentState;
  readonly historyChanges: readonly HistoryChange[];
}

/** Saves a replayed state, so that a later replay may begin there. */
export function takeSnapshot({ offset, state, historyChanges }: ReadSnapshot): StateSnapshot {
  return {
    foldVersion: FOLD_VERSION,
    contractVersion: CONTRACT_VERSION,
    offset,
    state: JSON.stringify({ ...saveState(state), historyChanges }),
  };
}

/**
 * Reads a snapshot, or undefined when another fold or contract made it or its text cannot be read: the events are the
 * truth, and folding them again is always possible.
 */
export function readSnapshot(snapshot: StateSnapshot): ReadSnapshot | undefined {
  const { foldVersion, contractVersion, offset, state } = snapshot;
  if (foldVersion !== FOLD_VERSION || contractVersion !== CONTRACT_VERSION) return undefined;
  try {
    const saved: unknown = JSON.parse(state);
    const changes =
      isPlainObject(saved) && Array.isArray(saved["historyChanges"]) ? saved["historyChanges"] : [];
    return { offset, state: loadState(saved), historyChanges: changes.filter(isHistoryChange) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidSavedStateError) return undefined;
    throw error;
  }
}

function isHistoryChange(value: unknown): value is HistoryChange {
  return (
    isPlainObject(value) &&
    typeof value["offset"] === "number" &&
    (value["kind"] === "rewrite" || value["kind"] === "compaction")
  );
}
