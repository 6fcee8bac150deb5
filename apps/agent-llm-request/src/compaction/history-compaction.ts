import { isTruncated } from "@promptfold/codemode";
import {
  CONTEXT_ADDED,
  LLM_REQUEST_SETTLED,
  SCRIPT_RUN_SETTLED,
  TOKEN_USAGE_REPORTED,
} from "@promptfold/contract";
import { agentConfig, type AgentState, askForSummary } from "@promptfold/fold";
import { OffsetConflictError } from "@promptfold/journal";
import { historyChange, renderRequest, type RenderedRequest } from "@promptfold/renderer";
import type { FollowedAgent, ObservedEvent } from "../agent-handler.ts";
import type { ModelAdapter, ModelReply } from "../models/model.ts";
import type { Scheduler } from "../scheduler.ts";
import { callModel } from "../turns/call-model.ts";
import { chooseBoundary } from "./choose-boundary.ts";
import { CompactionError } from "./compaction-error.ts";
import { SUMMARY_INSTRUCTION, type Summary, summaryEvent } from "./summary-event.ts";

/** By how much a request must have grown since the last compaction before another one can be of use. */
const GROWTH = 1.25;
/** However little it has grown, at this part of the context window there is no more waiting. */
const ALMOST_FULL = 0.9;
/** How often a summary is appended anew because something else was appended at the same moment. */
const MOST_TRIES = 20;

/** A request that opened, and what is known of it. */
interface MeasuredRequest {
  readonly offset: number;
  /** The state right after it opened: what it sent. */
  readonly state: AgentState;
  hasSucceeded: boolean;
  /** Tokens of the request and its reply. */
  tokens: number | undefined;
}

/** A summary without its boundary, which depends on when it is appended. */
type Answer = Omit<Summary, "replacesHistoryThrough">;

/**
 * Replaces the history of one agent by a summary when it has grown beyond the configured part of the context window.
 * The size is what the provider counted for the newest request that succeeded. The call repeats that request and adds
 * one message, so its beginning comes from the provider's cache; therefore it follows right on the request, in the
 * process that ran it. Where that process died, the next turn begins with it: a log at rest stays at rest. A call that
 * fails leaves the conversation as it was, and is made again after the next request.
 */
export class HistoryCompaction {
  readonly #model: ModelAdapter;
  readonly #scheduler: Scheduler;
  /** The newest request that opened since history last changed. */
  #newest: MeasuredRequest | undefined;
  /** The newest of those that succeeded and were measured. */
  #measured: MeasuredRequest | undefined;
  /** Tokens of the first request measured after the last compaction; `awaited` until it is. */
  #tokensAfter: number | "awaited" | undefined;
  /** Scripts that ended and whose result is on its way into the conversation. */
  readonly #unreported = new Set<string>();
  /** The newest request that this process ran itself. */
  #ran: number | undefined;
  /** The newest request for which this process is done with a summary, one way or the other. */
  #tried: number | undefined;
  /** The summary that the model wrote, until it is recorded: a journal that fails must not cost another call. */
  #answer: Answer | undefined;
  #call: AbortController | undefined;

  constructor({ model, scheduler }: { model: ModelAdapter; scheduler: Scheduler }) {
    this.#model = model;
    this.#scheduler = scheduler;
  }

  observe(observed: ObservedEvent): void {
    const { event, before, after } = observed;
    if (after === before) return;
    const change = historyChange(event);
    if (change !== undefined) {
      this.#newest = undefined;
      this.#measured = undefined;
      if (change === "compaction") this.#tokensAfter = "awaited";
    }
    this.#noteScript(observed);
    if (after.openRequest !== null && after.openRequest !== before.openRequest) {
      const { offset } = after.openRequest;
      this.#newest = { offset, state: after, hasSucceeded: false, tokens: undefined };
    }
    this.#measure(observed);
  }

  /** Tells that this process is about to record the reply to a request. */
  ran(requestOffset: number): void {
    this.#ran = requestOffset;
  }

  /** Somebody asks for the agent at once: a summary that is being written can wait. */
  interrupt(): void {
    this.#call?.abort("interrupted");
  }

  /** Whether a summary is to be asked for now, before the next request opens. */
  isDue(state: AgentState): boolean {
    const measured = this.#measured;
    if (measured === undefined || measured.offset === this.#tried) return false;
    if (!state.created || state.paused || state.openRequest !== null) return false;
    if (this.#ran !== measured.offset && state.pendingTrigger === null) return false;
    if ((measured.tokens ?? 0) < this.#limit(state)) return false;
    return this.#boundary(measured, state) !== undefined;
  }

  /** Asks for the summary that is due and appends it. Never fails the turn: what goes wrong is reported. */
  async run(agent: FollowedAgent): Promise<void> {
    const measured = this.#measured;
    if (measured === undefined) return;
    await agent.assertHeld();
    if (this.#answer?.requestOffset !== measured.offset) this.#answer = await this.#ask(agent, measured);
    if (this.#answer !== undefined) await this.#replace(agent, measured, this.#answer);
    // Reached unless the journal failed: then it is tried again, without another call.
    this.#tried = measured.offset;
    this.#answer = undefined;
  }

  async #replace(agent: FollowedAgent, measured: MeasuredRequest, answer: Answer): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      // History was rewritten meanwhile: the summary could bring back what was taken out.
      if (this.#measured !== measured) return;
      const through = this.#boundary(measured, agent.state);
      if (through === undefined) return;
      if (await appendAt(agent, { ...answer, replacesHistoryThrough: through })) return;
    }
    agent.report(new CompactionError(measured.offset, "others kept appending to the stream"));
  }

  #boundary({ state: sent }: MeasuredRequest, now: AgentState): number | undefined {
    return chooseBoundary({ sent, now, unreported: this.#unreported });
  }

  async #ask(agent: FollowedAgent, { offset, state }: MeasuredRequest): Promise<Answer | undefined> {
    const instruction = SUMMARY_INSTRUCTION;
    const call = new AbortController();
    this.#call = call;
    let rendered: RenderedRequest | undefined;
    const outcome = await callModel(this.#model, {
      render: () => (rendered = renderRequest(askForSummary(state, instruction), { stream: agent.stream })),
      scheduler: this.#scheduler,
      // A message that came meanwhile has the other half of a request's time.
      expiresAt: this.#scheduler.now() + agentConfig(agent.state).llmRequestExpiryMs / 2,
      signals: [call.signal, agent.signal],
    });
    this.#call = undefined;
    if (outcome.kind === "interrupted" || agent.signal.aborted) return undefined;
    if (outcome.kind === "replied" && rendered !== undefined) {
      const problem = problemOf(outcome.reply);
      const { model, mapping } = rendered;
      const { reply } = outcome;
      if (problem === undefined) return { requestOffset: offset, instruction, model, mapping, reply };
      agent.report(new CompactionError(offset, problem));
      return undefined;
    }
    const reason = outcome.kind === "failed" ? outcome.message : "the model took too long";
    agent.report(new CompactionError(offset, reason));
    return undefined;
  }

  #noteScript({ event }: ObservedEvent): void {
    if (event.trust === "outside") return;
    if (event.type === SCRIPT_RUN_SETTLED) {
      const { executionId, settlement } = event.payload;
      // No value returned means no message.
      if (settlement.status === "succeeded" && settlement.result === undefined) return;
      this.#unreported.add(executionId);
    } else if (event.type === CONTEXT_ADDED) {
      const executionId = event.payload.actor?.["executionId"];
      if (typeof executionId === "string") this.#unreported.delete(executionId);
    }
  }

  #measure({ event }: ObservedEvent): void {
    const newest = this.#newest;
    if (newest === undefined) return;
    if (event.type === LLM_REQUEST_SETTLED) {
      newest.hasSucceeded = event.payload.result.status === "succeeded";
    } else if (event.type === TOKEN_USAGE_REPORTED && event.payload.requestOffset === newest.offset) {
      newest.tokens = event.payload.inputTokens + event.payload.outputTokens;
    } else return;
    if (!newest.hasSucceeded || newest.tokens === undefined) return;
    this.#measured = newest;
    if (this.#tokensAfter === "awaited") this.#tokensAfter = newest.tokens;
  }

  /**
   * From how many tokens on history is compacted. Where what a compaction leaves is nearly as much as the threshold, or
   * more, another one right away would gain nothing.
   */
  #limit(state: AgentState): number {
    const { contextWindow, threshold } = agentConfig(state).compaction;
    if (contextWindow === undefined) return Infinity;
    const least = typeof this.#tokensAfter === "number" ? this.#tokensAfter * GROWTH : 0;
    return Math.max(contextWindow * threshold, Math.min(least, contextWindow * ALMOST_FULL));
  }
}

function problemOf({ text, finishReason }: ModelReply): string | undefined {
  if (isTruncated(finishReason)) return `the summary was cut off (${String(finishReason)})`;
  return text.trim() === "" ? "the summary is blank" : undefined;
}

/** Appends a summary to exactly the state that was looked at; false when something came in between. */
async function appendAt(agent: FollowedAgent, summary: Summary): Promise<boolean> {
  try {
    await agent.append([summaryEvent(summary, agent)], { expectedOffset: agent.offset });
    return true;
  } catch (error) {
    if (!OffsetConflictError.isInstance(error)) throw error;
    return false;
  }
}
