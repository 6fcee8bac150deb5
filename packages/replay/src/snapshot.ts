import { CONTRACT_VERSION, isPlainObject } from "@promptfold/contract";
import {
  type AgentState,
  contextItems,
  FOLD_VERSION,
  InvalidSavedStateError,
  loadState,
  saveState,
} from "@promptfold/fold";
import { z } from "zod";
import type { ReplayedState } from "./replay-state.ts";

/** A saved state that stands for a stream's events through an offset: the key and the text that a journal keeps. */
export interface StateSnapshot {
  readonly foldVersion: string;
  readonly contractVersion: string;
  readonly offset: number;
  /** JSON: what `saveState` gives, and what was noticed on the way. */
  readonly state: string;
}

/** What a snapshot holds. */
export type ReadSnapshot = Pick<
  ReplayedState,
  "offset" | "state" | "historyChanges" | "skipped" | "skippedCount"
>;

/** Saves a replayed state with what was noticed on the way, so that a later replay may begin there and tell the same. */
export function takeSnapshot(replayed: ReadSnapshot): StateSnapshot {
  const { offset, state, historyChanges, skipped, skippedCount } = replayed;
  return {
    foldVersion: FOLD_VERSION,
    contractVersion: CONTRACT_VERSION,
    offset,
    state: JSON.stringify({ ...saveState(state), noticed: { historyChanges, skipped, skippedCount } }),
  };
}

/** What was noticed, in a snapshot. */
const Noticed = z.object({
  historyChanges: z.array(
    z.object({ offset: z.int(), kind: z.enum(["rewrite", "compaction"]), key: z.string().optional() }),
  ),
  skipped: z.array(
    z.object({
      offset: z.int(),
      type: z.string(),
      kind: z.enum(["unknown", "malformed"]),
      issues: z.array(z.object({ path: z.string(), message: z.string() })),
    }),
  ),
  skippedCount: z.int().nonnegative(),
});

/**
 * Reads a snapshot, or undefined when another fold or contract made it, its text cannot be read, or it tells of later
 * events than those that it stands for: the events are the truth, and folding them again is always possible.
 */
export function readSnapshot(snapshot: StateSnapshot): ReadSnapshot | undefined {
  const { foldVersion, contractVersion, offset, state } = snapshot;
  if (foldVersion !== FOLD_VERSION || contractVersion !== CONTRACT_VERSION) return undefined;
  if (!Number.isSafeInteger(offset) || offset < 1) return undefined;
  try {
    const saved: unknown = JSON.parse(state);
    const notes = isPlainObject(saved) ? saved["noticed"] : undefined;
    const noticed = Noticed.safeParse(notes ?? { historyChanges: [], skipped: [], skippedCount: 0 });
    if (!noticed.success) return undefined;
    const loaded = loadState(saved);
    return newestOffset(loaded) <= offset ? { offset, state: loaded, ...noticed.data } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || InvalidSavedStateError.isInstance(error)) return undefined;
    throw error;
  }
}

/** The newest event that a state tells of. */
function newestOffset(state: AgentState): number {
  const { sentThrough, externalThrough, pendingTrigger, openRequest, scripts } = state;
  let newest = Math.max(sentThrough, externalThrough, pendingTrigger?.offset ?? 0, openRequest?.offset ?? 0);
  for (const { offset } of [...scripts.values(), ...contextItems(state)]) newest = Math.max(newest, offset);
  return newest;
}
