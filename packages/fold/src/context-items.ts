import type { ContextItem } from "@promptfold/contract";
import type { AgentState } from "./agent-state.ts";

/** The context as one array in position order. Costs as much as there are items. */
export function contextItems(state: AgentState): ContextItem[] {
  return [...state.items];
}
