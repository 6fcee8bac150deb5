import { type AgentState, latestSection } from "./agent-state.ts";

/** What an agent looks like to an onlooker. For display only: nothing may decide by it. */
export interface Presence {
  /** A trigger is pending and a `system` section exists. */
  readonly runnable: boolean;
  /** A request is open or a script runs. */
  readonly busy: boolean;
}

/** Derives an agent's presence from its state. */
export function presence(state: AgentState): Presence {
  const hasPrompt = state.latestPositions
    .keySeq()
    .some((key) => latestSection(state, key)?.payload.role === "system");
  return {
    runnable: state.pendingTrigger !== null && hasPrompt,
    busy: state.openRequest !== null || state.scripts.size > 0,
  };
}
