import type { Compaction, ContextAddedPayload } from "./payloads.ts";

/** Whether a context item is a summary that rewrites history: only a `developer` item's compaction is honoured. */
export function isCompaction(
  payload: ContextAddedPayload,
): payload is ContextAddedPayload & { compaction: Compaction } {
  return payload.compaction !== undefined && payload.role === "developer";
}
