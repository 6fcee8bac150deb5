import { parseCodemodeReply, parseFencedReply } from "@promptfold/codemode";
import {
  AGENT_PAUSED,
  CONTEXT_ADDED,
  type KnownEvent,
  LLM_REQUEST_SETTLED,
  SCRIPT_RUN_SETTLED,
} from "@promptfold/contract";
import { agentConfig, type AgentState, foldEvent, initialState } from "@promptfold/fold";

/**
 * Where an agent's turn stands: `going`; `answered`, without a script or with one that returned nothing; or `failed`,
 * when the model's calls failed and none is to be made again.
 */
export type TurnProgress = "going" | "answered" | "failed";

/** Watches an agent's stream for the end of its turn. */
export class TurnWatch {
  #state: AgentState = initialState;
  #hasAnswered = false;

  /** Takes in the next event of the stream, and says where the turn stands after it. */
  observe(event: KnownEvent): TurnProgress {
    this.#state = foldEvent(this.#state, event);
    const { openRequest, pendingTrigger, scripts, consecutiveLlmFailures } = this.#state;
    if (event.type === CONTEXT_ADDED) {
      const { role, content } = event.payload;
      const parse = agentConfig(this.#state).interpretResponses ? parseFencedReply : parseCodemodeReply;
      this.#hasAnswered = role === "assistant" && parse(content).kind === "none";
    } else if (event.type === SCRIPT_RUN_SETTLED) {
      const { settlement } = event.payload;
      this.#hasAnswered = settlement.status === "succeeded" && settlement.result === undefined;
    }
    if (openRequest !== null || pendingTrigger !== null || scripts.size > 0) return "going";
    // A pause drops the trigger that a failure is, where another try would be in vain.
    const mayFail = event.type === LLM_REQUEST_SETTLED || event.type === AGENT_PAUSED;
    if (mayFail && consecutiveLlmFailures > 0) return "failed";
    return this.#hasAnswered ? "answered" : "going";
  }

  /** What the agent waits for, for a person. */
  describe(): string {
    const { openRequest, pendingTrigger, scripts } = this.#state;
    if (openRequest !== null) return `request @${openRequest.offset} is open and nobody has answered it`;
    if (scripts.size > 0) return "a script was requested and nobody has settled it";
    return pendingTrigger === null ? "nothing is open" : "nobody has opened the request";
  }
}
