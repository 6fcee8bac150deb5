import type { MessageItem } from "@promptfold/contract";
import { type AgentState, edit } from "./agent-state.ts";

/**
 * The state that a compaction's call is rendered from: that of a request right after it opened, with the instruction to
 * summarise as its one last message. Everything before is what that request sent, so a provider serves it from its
 * cache. No event is behind it: it decides nothing but what the call sends.
 *
 * @throws RangeError when no request is open.
 */
export function askForSummary(state: AgentState, instruction: string): AgentState {
  if (state.openRequest === null)
    throw new RangeError("no request is open; give the state right after one opened");
  const { offset } = state.openRequest;
  const payload = { role: "developer" as const, content: instruction, actor: { type: "platform" } };
  const item: MessageItem = { kind: "message", offset, payload };
  const next = edit(state);
  next.items = state.items.append(item);
  return next;
}
