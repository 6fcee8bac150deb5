import { AgentConfig } from "@promptfold/contract";
import type { AgentState } from "./agent-state.ts";

const resolved = new WeakMap<object, AgentConfig>();

/** The agent's configuration with defaults filled in; a value that does not fit counts as absent. */
export function agentConfig(state: Pick<AgentState, "config">): AgentConfig {
  const known = resolved.get(state.config);
  if (known !== undefined) return known;
  const config = AgentConfig.parse(state.config);
  resolved.set(state.config, config);
  return config;
}
