import type { ContextItem } from "@promptfold/contract";
import { type AgentState, isReplaced, latestSection } from "@promptfold/fold";

/** Characters of a request's stamp. */
const STAMP = "Requested at: 2000-01-01T00:00:00.000Z".length;

/** How long the content of a context is, in UTF-16 code units. */
export function contentSize({ items }: AgentState): number {
  let size = 0;
  for (const item of items) size += itemSize(item);
  return size;
}

/** How much of that a compaction through an offset takes out: messages, stamps, and the older texts of sections. */
export function replacedSize(state: AgentState, through: number): number {
  let size = 0;
  for (const item of state.items) {
    const goes =
      item.kind === "section" ? latestSection(state, item.key) !== item : isReplaced(item, through);
    if (goes) size += itemSize(item);
  }
  return size;
}

function itemSize(item: ContextItem): number {
  return item.kind === "request" ? STAMP : item.payload.content.length;
}
