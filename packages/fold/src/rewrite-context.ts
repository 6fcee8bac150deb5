import {
  type CONTEXT_REWRITTEN,
  type ContextItem,
  type EventOf,
  RESERVED_KEY,
  type SectionItem,
} from "@promptfold/contract";
import { addSection } from "./add-context.ts";
import { type AgentState, withItems } from "./agent-state.ts";
import { ItemSequence } from "./item-sequence.ts";

/**
 * Rewrites what past positions hold. `replace` puts the content where the key first stands and drops its other
 * occurrences; `delete` drops every occurrence, and with `*` every item. Deleting what is not there changes nothing.
 * This breaks the prefix of earlier requests on purpose.
 */
export function rewriteContext(state: AgentState, event: EventOf<typeof CONTEXT_REWRITTEN>): AgentState {
  const { payload, offset } = event;
  const isEverything = payload.key === RESERVED_KEY;
  if (isEverything) return state.items.length === 0 ? state : withItems(state, ItemSequence.empty);
  const stands = state.latestPositions.has(payload.key);
  if (payload.op === "replace") {
    if (stands) return replaceSection(state, payload.key, payload.content, offset);
    return addSection(state, offset, payload.key, {
      role: "system",
      content: payload.content,
      key: payload.key,
    });
  }
  if (!stands) return state;
  return withItems(state, ItemSequence.from(itemsWithout(state.items, payload.key)));
}

function replaceSection(state: AgentState, key: string, content: string, offset: number): AgentState {
  const items: ContextItem[] = [];
  let isFirst = true;
  for (const item of state.items) {
    if (item.kind !== "section" || item.key !== key) items.push(item);
    else if (isFirst) {
      items.push(rewrittenSection(item, content, offset));
      isFirst = false;
    }
  }
  return withItems(state, ItemSequence.from(items));
}

function rewrittenSection(item: SectionItem, content: string, offset: number): SectionItem {
  const { supersedes: _, payload, ...section } = item;
  const { origin: __, ...kept } = payload; // the authored text it named is gone
  return { ...section, offset, payload: { ...kept, content } };
}

function* itemsWithout(items: ItemSequence, key: string): Generator<ContextItem> {
  for (const item of items) if (item.kind !== "section" || item.key !== key) yield item;
}
