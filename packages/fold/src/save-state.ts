import { PromptfoldError, SavedAgentState } from "@promptfold/contract";
import { Map as PersistentMap } from "immutable";
import { type AgentState, indexSections } from "./agent-state.ts";
import { contextItems } from "./context-items.ts";
import { ItemSequence } from "./item-sequence.ts";

/**
 * Version of the fold and of its saved form (semver). A snapshot saved under another version must be ignored: the
 * events are the truth, and folding them again is always possible.
 */
export const FOLD_VERSION = "1.0.0";

/** A saved state that does not fit its schema. */
export class InvalidSavedStateError extends PromptfoldError {
  static override readonly code: string = "invalid-saved-state";
}

/** The state as plain JSON. Loading it gives a state that folds, renders and saves to the same bytes. */
export function saveState(state: AgentState): SavedAgentState {
  const { items: _, latestPositions: __, scripts, config, ...rest } = state;
  return { ...rest, config: { ...config }, scripts: [...scripts.values()], items: contextItems(state) };
}

/**
 * Restores a state from what `saveState` gave, also after a trip through JSON text.
 *
 * @throws InvalidSavedStateError (`invalid-saved-state`) when `saved` does not fit; refold the stream then.
 */
export function loadState(saved: unknown): AgentState {
  const parsed = SavedAgentState.safeParse(saved);
  if (!parsed.success) {
    const first = parsed.error.issues[0];
    const where =
      first === undefined ? "" : ` at ${first.path.map(String).join(".") || "its root"}: ${first.message}`;
    throw new InvalidSavedStateError(`saved agent state is not readable${where}; fold the stream again`, {
      cause: parsed.error,
    });
  }
  const { items: savedItems, scripts, ...rest } = parsed.data;
  const items = ItemSequence.from(savedItems);
  return {
    ...rest,
    items,
    latestPositions: indexSections(items),
    scripts: PersistentMap(scripts.map((script) => [script.executionId, script])),
  };
}
