export { type AgentState, initialState, latestSection } from "./agent-state.ts";
export { agentConfig } from "./agent-config.ts";
export { foldEvent } from "./fold-event.ts";
export { foldEvents, type FoldOptions } from "./fold-events.ts";
export { type SkippedEvent, skippedEvent } from "./skipped-event.ts";
export { contextItems } from "./context-items.ts";
export { type PlannedAppend, planTurn } from "./plan-turn.ts";
export { presence, type Presence } from "./presence.ts";
export { FOLD_VERSION, InvalidSavedStateError, loadState, saveState } from "./save-state.ts";
