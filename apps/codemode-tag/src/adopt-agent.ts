import type { AgentHandler, FollowedAgent, ObservedEvent } from "@promptfold/agent-llm-request";
import { AGENT_CONFIGURED } from "@promptfold/contract";
import { agentConfig, type AgentState, contextItems, latestSection } from "@promptfold/fold";
import { OffsetConflictError } from "@promptfold/journal";
import { type Section, updateEvents } from "@promptfold/parser";

/** The one section that this worker swaps. */
export const REPLY_FORMAT_KEY = "output-formatting";

/** The worker's name: its cursor, its leases and the source of what it appends. */
export const CODEMODE_TAG_PROCESSOR = "codemode-tag";

const ADOPTION_KEY = "codemode-tag/adopted";

/**
 * Adopts newborn agents: inside the birth window, before anything was sent, it re-adds the reply format, takes the
 * replies over from the runtime, and, last, lowers the debounce. An agent whose window has closed keeps the default.
 */
export class AgentAdoption implements AgentHandler {
  readonly #replyFormat: readonly Section[];
  #isAdopted = false;

  /** Takes the sections to re-add; they must be of the key {@link REPLY_FORMAT_KEY}. */
  constructor(replyFormat: readonly Section[]) {
    this.#replyFormat = replyFormat;
  }

  /** Whether this worker interprets the agent's replies. */
  get isAdopted(): boolean {
    return this.#isAdopted;
  }

  observe({ event }: ObservedEvent): void {
    if (event.trust === "inside" && event.idempotencyKey === ADOPTION_KEY) this.#isAdopted = true;
  }

  isBusy(state: AgentState): boolean {
    return !this.#isAdopted && isNewborn(state);
  }

  async work(agent: FollowedAgent): Promise<undefined> {
    const { state, offset } = agent;
    if (!this.isBusy(state)) return undefined;
    const config = { interpretResponses: false, llmRequestDebounceMs: null };
    try {
      await agent.append(
        [
          ...updateEvents(this.#replyFormat, contextItems(state), { base: CODEMODE_TAG_PROCESSOR }),
          { type: AGENT_CONFIGURED, payload: { config }, idempotencyKey: ADOPTION_KEY },
        ],
        { expectedOffset: offset },
      );
    } catch (error) {
      // Something was appended meanwhile: its event brings this worker back, if the window is still open then.
      if (!OffsetConflictError.isInstance(error)) throw error;
    }
    return undefined;
  }
}

/** Born with a reply format that the runtime would interpret, and nothing sent yet. */
function isNewborn(state: AgentState): boolean {
  return (
    state.created &&
    state.sentThrough === 0 &&
    latestSection(state, REPLY_FORMAT_KEY) !== undefined &&
    agentConfig(state).interpretResponses
  );
}
