import type { ContextItem } from "@promptfold/contract";

/**
 * Whether a compaction that replaces history through an offset takes this message or request out: messages and stamps
 * at or below it go, except system messages of the agent's own side. An earlier summary is a message like any other: it
 * goes only where its own offset is reached. A section stays, with its newest text.
 */
export function isReplaced(item: ContextItem, through: number): boolean {
  return item.offset <= through && item.kind !== "section" && !isFact(item);
}

/** A system message of the agent's own side; what came from outside is history, whatever role it claims. */
export function isFact(item: ContextItem): boolean {
  return item.kind === "message" && item.payload.role === "system" && item.outside === undefined;
}
