import { AGENT_CONFIGURED, CONTEXT_ADDED, SCRIPT_RUN_SETTLED } from "@promptfold/contract";
import { agentConfig, type AgentState, askForSummary } from "@promptfold/fold";
import { OffsetConflictError } from "@promptfold/journal";
import { renderRequest, type RenderedRequest } from "@promptfold/renderer";
import type { FollowedAgent, ObservedEvent } from "../agent-handler.ts";
import type { ModelAdapter, ModelUsage } from "../models/model.ts";
import type { Scheduler } from "../scheduler.ts";
import { callModel, type CallOutcome } from "../turns/call-model.ts";
import { chooseBoundary } from "./choose-boundary.ts";
import { CompactionError } from "./compaction-error.ts";
import { replacedSize } from "./content-size.ts";
import { SentHistory, type SentRequest } from "./sent-history.ts";
import { SUMMARY_INSTRUCTION, type Summary, summaryEvent } from "./summary-event.ts";
import { summaryFault } from "./summary-fault.ts";
import { SummaryPace } from "./summary-pace.ts";

/** How often a summary is appended anew because something else was appended at the same moment. */
const MOST_TRIES = 20;
/** With less time left than this, or than a quarter of a request's, no call for a summary is begun. */
const SHORTEST_CALL_MS = 30_000;

/** A summary without its boundary, which depends on when it is appended. */
interface Answer {
  readonly summary: Omit<Summary, "replacesHistoryThrough">;
  /** The request that it was made of, and the change of history that this came after. */
  readonly source: SentRequest;
  readonly changes: number;
}

/**
 * Replaces the history of one agent by a summary when it has grown beyond the configured part of the context window, or
 * when its requests do not fit any more. The size is what the provider counted for the newest request that succeeded.
 * The call repeats that request and adds one message, so its beginning comes from the provider's cache; therefore it
 * follows right on a request, in the process that ran it, or comes before a turn: a log at rest stays at rest. A call
 * that comes to nothing leaves the conversation as it was, and is made again after ever more requests.
 */
export class HistoryCompaction {
  readonly #model: ModelAdapter;
  readonly #scheduler: Scheduler;
  readonly #sent = new SentHistory();
  readonly #pace = new SummaryPace();
  /** Scripts that ended and whose result is on its way into the conversation. */
  readonly #unreported = new Set<string>();
  /** The newest request that this process ran itself. */
  #ran: number | undefined;
  /** Whether the turn that is pending was asked for at once. */
  #isUrgent = false;
  /** The summary that the model wrote, until it is recorded: a journal that fails must not cost another call. */
  #answer: Answer | undefined;
  #call: AbortController | undefined;
  /** Whether it was told that a compaction leaves too much, and after which change of history that nothing helps. */
  #toldOfTooMuch = false;
  #toldOfNoHelp: number | undefined;

  constructor({ model, scheduler }: { model: ModelAdapter; scheduler: Scheduler }) {
    this.#model = model;
    this.#scheduler = scheduler;
  }

  observe(observed: ObservedEvent): void {
    const { event, before, after } = observed;
    if (after === before) return;
    if (after.pendingTrigger === null) this.#isUrgent = false;
    this.#noteScript(observed);
    const { changes } = this.#sent;
    this.#sent.observe(observed);
    const isConfigured = event.type === AGENT_CONFIGURED && !this.#sent.isTooLarge(after, this.#ran);
    // Nobody wants that summary any more: whoever waits for its end need not.
    if (changes !== this.#sent.changes || isConfigured) this.#call?.abort("of no use");
  }

  /** Tells that somebody asks for the pending turn at once: no summary comes before it. */
  interrupt(): void {
    this.#isUrgent = true;
    this.#call?.abort("interrupted");
  }

  /** Whether a summary is to be asked for, or to be recorded, before the next request opens. */
  isDue(state: AgentState): boolean {
    return this.#isDue(state, state.pendingTrigger !== null);
  }

  /** Asks for the summary that is due and appends it. Never fails the turn: what goes wrong is reported. */
  async beforeRequest(agent: FollowedAgent): Promise<void> {
    if (this.isDue(agent.state)) await this.#run(agent);
  }

  /** The same right after this process has recorded how a request ended: its beginning is in the provider's cache. */
  async afterRequest(agent: FollowedAgent, requestOffset: number): Promise<void> {
    this.#ran = requestOffset;
    this.#tell(agent);
    if (this.#isDue(agent.state, true)) await this.#run(agent);
  }

  #isDue(state: AgentState, isTime: boolean): boolean {
    const { succeeded, changes } = this.#sent;
    if (!state.created || state.paused || state.openRequest !== null) return false;
    if (this.#answer !== undefined && this.#answer.changes === changes) return true;
    if (succeeded === undefined || !isTime || this.#isUrgent) return false;
    if (!this.#sent.isTooLarge(state, this.#ran) || !this.#hasTime(state)) return false;
    if (!this.#pace.allows(this.#sent.endedRequests, this.#sent.isStuck(state, this.#ran))) return false;
    return this.#boundary(succeeded, state) !== undefined;
  }

  async #run(agent: FollowedAgent): Promise<void> {
    await agent.assertHeld();
    // What is due may have changed while the lease was renewed.
    if (!this.#isDue(agent.state, true)) return;
    if (this.#answer?.changes !== this.#sent.changes) this.#answer = await this.#ask(agent);
    if (this.#answer !== undefined) await this.#replace(agent, this.#answer);
    // Reached unless the journal failed: then it is tried again, without another call.
    this.#answer = undefined;
  }

  async #replace(agent: FollowedAgent, { summary, source, changes }: Answer): Promise<void> {
    const { requestOffset, reply } = summary;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const isWanted = this.#sent.isTooLarge(agent.state, this.#ran);
      const through = this.#boundary(source, agent.state);
      // History was rewritten meanwhile, and the summary could bring back what was taken out, or nobody wants it now.
      if (this.#sent.changes !== changes || !isWanted || through === undefined) {
        this.#pace.gaveUp(this.#sent.endedRequests);
        return;
      }
      if (reply.text.length >= replacedSize(agent.state, through)) {
        this.#fail(agent, requestOffset, "the summary is no shorter than what it would replace", reply.usage);
        return;
      }
      if (!(await appendAt(agent, { ...summary, replacesHistoryThrough: through }))) continue;
      this.#pace.succeeded();
      return;
    }
    this.#fail(agent, requestOffset, "others kept appending to the stream", reply.usage);
  }

  #boundary({ state: sent }: SentRequest, now: AgentState): number | undefined {
    return chooseBoundary({ sent, now, unreported: this.#unreported });
  }

  async #ask(agent: FollowedAgent): Promise<Answer | undefined> {
    const { succeeded: source, changes } = this.#sent;
    if (source === undefined) return undefined;
    const instruction = SUMMARY_INSTRUCTION;
    const call = new AbortController();
    this.#call = call;
    let rendered: RenderedRequest | undefined;
    const outcome = await callModel(this.#model, {
      render: () =>
        (rendered = renderRequest(askForSummary(source.state, instruction), { stream: agent.stream })),
      scheduler: this.#scheduler,
      expiresAt: this.#deadline(agent.state),
      signals: [call.signal, agent.signal],
    });
    this.#call = undefined;
    if (agent.signal.aborted) return undefined;
    // Also when the call fails in the moment that it became useless.
    if (outcome.kind === "interrupted" || call.signal.aborted) {
      this.#pace.gaveUp(this.#sent.endedRequests);
      return undefined;
    }
    const fault = faultOf(outcome, source);
    if (outcome.kind === "replied" && fault === undefined && rendered !== undefined) {
      const { model, mapping } = rendered;
      const summary = { requestOffset: source.offset, instruction, model, mapping, reply: outcome.reply };
      return { summary, source, changes };
    }
    const usage = outcome.kind === "replied" ? outcome.reply.usage : undefined;
    this.#fail(agent, source.offset, fault ?? "it was not rendered", usage);
    return undefined;
  }

  #fail(agent: FollowedAgent, requestOffset: number, reason: string, usage?: ModelUsage): void {
    this.#pace.failed(this.#sent.endedRequests);
    const message = `the history through the request @${requestOffset} could not be summarised: ${reason}; it stays as it is`;
    agent.report(new CompactionError(message, { requestOffset, usage }));
  }

  /** Reports, once, what no summary can help. */
  #tell(agent: FollowedAgent): void {
    const { state } = agent;
    const { contextWindow } = agentConfig(state).compaction;
    if (contextWindow === undefined || this.#ran === undefined) return;
    const tokens = this.#sent.leftTooMuch(state);
    if (tokens !== undefined && !this.#toldOfTooMuch) {
      const message =
        `a summary left a request of ${tokens} tokens, nine tenths or more of the context window of ${contextWindow}: ` +
        "the sections and the newest messages alone fill it, so summaries gain little and become rare; " +
        "shorten the prompt, or set compaction.contextWindow to what the model has";
      agent.report(new CompactionError(message, { requestOffset: this.#ran }));
    }
    this.#toldOfTooMuch = tokens !== undefined;
    const { tooLong, succeeded, changes } = this.#sent;
    if (tooLong === undefined || this.#toldOfNoHelp === changes) return;
    if (succeeded !== undefined && this.#boundary(succeeded, state) !== undefined) return;
    this.#toldOfNoHelp = changes;
    const message =
      `the request @${tooLong.offset} is too long for the model, and a summary has nothing to replace: ` +
      "a section or a message alone is too long, or what came since the last summary waits for a script that runs";
    agent.report(new CompactionError(message, { requestOffset: tooLong.offset }));
  }

  /** When a call for a summary ends: a message that waits for its turn has the other half of a request's time. */
  #deadline(state: AgentState): number {
    const half = agentConfig(state).llmRequestExpiryMs / 2;
    const latest = this.#scheduler.now() + half;
    const waitsSince = Date.parse(state.pendingTrigger?.at ?? "");
    return Number.isNaN(waitsSince) ? latest : Math.min(latest, waitsSince + half);
  }

  #hasTime(state: AgentState): boolean {
    const shortest = Math.min(SHORTEST_CALL_MS, agentConfig(state).llmRequestExpiryMs / 4);
    return this.#deadline(state) - this.#scheduler.now() >= shortest;
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
}

/** Why a call brought no summary that can stand for history. */
function faultOf(outcome: CallOutcome, { state }: SentRequest): string | undefined {
  if (outcome.kind === "replied")
    return summaryFault(outcome.reply, state.openRequest?.payload.parameters ?? undefined);
  return outcome.kind === "failed" ? outcome.message : "the model took too long";
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
