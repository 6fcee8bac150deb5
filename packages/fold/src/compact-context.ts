import type { CONTEXT_ADDED, ContextItem, EventOf } from "@promptfold/contract";
import { type AgentState, edit, withItems } from "./agent-state.ts";
import { isFact, isReplaced } from "./is-replaced.ts";
import { ItemSequence } from "./item-sequence.ts";

/**
 * Rebuilds the context around a summary: each key's newest occurrence in first-appearance order, the unkeyed system
 * messages, the summary, then what came after `through`. A `through` that is not below the event itself is void.
 */
export function compactContext(
  state: AgentState,
  event: EventOf<typeof CONTEXT_ADDED>,
  through: number,
): AgentState {
  if (through >= event.offset) return state;
  const sections = new Map<string, ContextItem>();
  const facts: ContextItem[] = [];
  const later: ContextItem[] = [];
  for (const item of state.items) {
    if (item.kind === "section") {
      const { supersedes: _, ...standing } = item;
      // Setting a key that is there keeps its place, so keys stay in first-appearance order.
      sections.set(item.key, standing);
    } else if (isFact(item)) facts.push(item);
    else if (!isReplaced(item, through)) later.push(item);
  }
  const summary: ContextItem = { kind: "message", offset: event.offset, payload: event.payload };
  const items = ItemSequence.from([...sections.values(), ...facts, summary, ...later]);
  const next = edit(withItems(state, items));
  next.sentThrough = Math.max(state.sentThrough, through);
  return next;
}
