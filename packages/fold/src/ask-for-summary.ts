import { type MessageItem, PromptfoldError } from "@promptfold/contract";
import { type AgentState, edit } from "./agent-state.ts";

/** A state in which no request is open was asked for what only an open request has. */
export class NoOpenRequestError extends PromptfoldError {
  static override readonly code: string = "no-open-request";
}

/**
 * The state that a compaction's call is rendered from: that of a request right after it opened, with the instruction to
 * summarise as its one last message. Everything before is what that request sent, so a provider serves it from its
 * cache. No event is behind it: it decides nothing but what the call sends.
 *
 * @throws NoOpenRequestError (`no-open-request`) when no request is open.
 */
export function askForSummary(state: AgentState, instruction: string): AgentState {
  if (state.openRequest === null)
    throw new NoOpenRequestError("no request is open; give the state right after one opened");
  const { offset } = state.openRequest;
  const payload = { role: "developer" as const, content: instruction, actor: { type: "platform" } };
  const item: MessageItem = { kind: "message", offset, payload };
  const next = edit(state);
  next.items = state.items.append(item);
  return next;
}
