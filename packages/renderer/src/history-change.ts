import { CONTEXT_ADDED, CONTEXT_REWRITTEN, isCompaction, type KnownEvent } from "@promptfold/contract";

/**
 * How an event that had an effect changes what earlier positions hold: by a rewrite or a compaction, which break the
 * prefix of earlier requests on purpose. Undefined for every other event: those only add.
 */
export function historyChange(event: KnownEvent): "rewrite" | "compaction" | undefined {
  if (event.type === CONTEXT_REWRITTEN) return "rewrite";
  return event.type === CONTEXT_ADDED && isCompaction(event.payload) ? "compaction" : undefined;
}
