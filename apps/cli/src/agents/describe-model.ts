import { UNNAMED_MODEL } from "@promptfold/agent-llm-request";
import { printable } from "@promptfold/contract";
import type { ChosenModel } from "./choose-model.ts";

/** For a person: which model an agent's calls go to, when its configuration names one, or `default` for none. */
export function describeModel(chosen: ChosenModel, configured: string): string {
  const { adapter, isScripted, name, reason } = chosen;
  if (configured === UNNAMED_MODEL || configured === name) return reason;
  const shown = printable(configured);
  if (isScripted) return `${reason}, in place of ${shown}, which the agent's configuration names`;
  return `${shown} (${adapter.name}), which the agent's configuration names; ${name} is for agents that name none`;
}
