import { isTruncated } from "@promptfold/codemode";
import {
  AGENT_PAUSED,
  CONTEXT_ADDED,
  LLM_REQUEST_REQUESTED,
  LLM_REQUEST_SETTLED,
  type LlmRequestSettledPayload,
  TOKEN_USAGE_REPORTED,
} from "@promptfold/contract";
import { agentConfig, type AgentState, type PlannedAppend, planTurn } from "@promptfold/fold";
import type { NewEvent } from "@promptfold/journal";
import { renderRequest } from "@promptfold/renderer";
import type { AgentHandler, FollowedAgent, ObservedEvent } from "../agent-handler.ts";
import type { Scheduler } from "../scheduler.ts";
import { HistoryCompaction } from "../compaction/history-compaction.ts";
import { type ModelAdapter, type ModelReply, UNNAMED_MODEL } from "../models/model.ts";
import { type CacheListener, CacheWatch } from "./cache-watch.ts";
import { callModel, type CallOutcome } from "./call-model.ts";

/** A request with less time left is not taken over from another process. */
const SHORTEST_ADOPTION_MS = 30_000;

/** What the turn loop works with. */
export interface TurnLoopOptions {
  readonly model: ModelAdapter;
  readonly scheduler: Scheduler;
  /** Told what the provider's cache gave of a request whose reply was recorded here, beside what was predicted. */
  readonly onCacheReport?: CacheListener | undefined;
}

/**
 * The turn loop of one agent: appends what the turn plan says when it is due, and runs the open request. Every append
 * carries a key of its trigger or request, so any number of processes, restarts and replays decide once.
 */
export class TurnLoop implements AgentHandler {
  readonly #model: ModelAdapter;
  readonly #scheduler: Scheduler;
  readonly #compaction: HistoryCompaction;
  /** Only where somebody listens: comparing costs two renders. */
  readonly #cacheWatch: CacheWatch | undefined;
  /** The state right after the open request opened: later messages belong to the next request. */
  #openState: AgentState | undefined;
  #interruptedRequest: number | undefined;
  #appendedRequest: number | undefined;
  /** When this process first saw the pending trigger: other clocks may stamp differently than this one. */
  #triggerSeen: { readonly offset: number; readonly at: number } | undefined;
  /** How the open request's call ended, until that is recorded: a journal that fails must not cost another call. */
  #ended: { readonly requestOffset: number; readonly outcome: CallOutcome } | undefined;
  #attempt: { readonly requestOffset: number; readonly abort: AbortController } | undefined;

  constructor({ model, scheduler, onCacheReport }: TurnLoopOptions) {
    this.#model = model;
    this.#scheduler = scheduler;
    this.#compaction = new HistoryCompaction({ model, scheduler });
    this.#cacheWatch = onCacheReport && new CacheWatch(onCacheReport);
  }

  observe(observed: ObservedEvent): void {
    this.#compaction.observe(observed);
    this.#cacheWatch?.observe(observed);
    const { event, before, after } = observed;
    if (after.openRequest !== before.openRequest) {
      this.#openState = after.openRequest === null ? undefined : after;
      this.#ended = undefined;
      if (this.#attempt?.requestOffset === before.openRequest?.offset) this.#attempt?.abort.abort("settled");
    }
    const trigger = after.pendingTrigger;
    if (trigger !== null && trigger.offset !== this.#triggerSeen?.offset) {
      this.#triggerSeen = { offset: trigger.offset, at: this.#scheduler.now() };
    }
    const isInterrupt =
      event.type === CONTEXT_ADDED &&
      event.payload.llmRequestPolicy?.behaviour === "interrupt-current-request" &&
      trigger?.offset === event.offset;
    if (!isInterrupt) return;
    this.#compaction.interrupt();
    if (after.openRequest === null) return;
    this.#interruptedRequest = after.openRequest.offset;
    if (this.#attempt?.requestOffset === after.openRequest.offset) this.#attempt.abort.abort("interrupted");
  }

  isBusy(state: AgentState): boolean {
    if (!state.created) return false;
    return state.openRequest !== null || planTurn(state).length > 0 || this.#compaction.isDue(state);
  }

  async work(agent: FollowedAgent): Promise<number | undefined> {
    if (this.#openState?.openRequest != null) {
      await this.#runRequest(agent, this.#openState, this.#openState.openRequest);
      return undefined;
    }
    await this.#compaction.beforeRequest(agent);
    if (agent.signal.aborted) return undefined;
    const [planned] = planTurn(agent.state);
    if (planned === undefined) return undefined;
    const { dueAt, ...event } = nameModel(planned, this.#model);
    const due = dueAt === undefined ? 0 : this.#localTime(dueAt, agent.state);
    if (due > this.#scheduler.now()) return due;
    const [committed] = await agent.append([event]);
    if (committed?.type === LLM_REQUEST_REQUESTED) this.#appendedRequest = committed.offset;
    return undefined;
  }

  /** A due time by this process's clock: never later than the same wait since it first saw the trigger. */
  #localTime(dueAt: string, { pendingTrigger }: AgentState): number {
    const due = Date.parse(dueAt);
    if (pendingTrigger === null || this.#triggerSeen?.offset !== pendingTrigger.offset) return due;
    return Math.min(due, this.#triggerSeen.at + due - Date.parse(pendingTrigger.at));
  }

  async #runRequest(
    agent: FollowedAgent,
    state: AgentState,
    { offset, payload }: NonNullable<AgentState["openRequest"]>,
  ): Promise<void> {
    if (this.#ended?.requestOffset !== offset) {
      const outcome = await this.#attemptRequest(agent, state, { offset, payload });
      if (outcome === undefined) return;
      this.#ended = { requestOffset: offset, outcome };
    }
    const hasReplied = await record(agent, offset, this.#ended.outcome);
    if (hasReplied) void this.#cacheWatch?.tell(agent);
    await this.#compaction.afterRequest(agent, offset);
  }

  /** How the request ended; undefined when that is not for this process to say any more. */
  async #attemptRequest(
    agent: FollowedAgent,
    state: AgentState,
    { offset, payload }: Pick<NonNullable<AgentState["openRequest"]>, "offset" | "payload">,
  ): Promise<CallOutcome | undefined> {
    const expiresAt = this.#expiry(payload.expiresAt, state);
    const shortest = this.#appendedRequest === offset ? 0 : SHORTEST_ADOPTION_MS;
    if (expiresAt - this.#scheduler.now() <= shortest) return { kind: "expired" };
    if (this.#interruptedRequest === offset) return { kind: "interrupted", partialText: "" };
    await agent.assertHeld();
    const abort = new AbortController();
    this.#attempt = { requestOffset: offset, abort };
    const { signal } = agent;
    const outcome = await callModel(this.#model, {
      render: () => renderRequest(state, { stream: agent.stream }),
      scheduler: this.#scheduler,
      expiresAt,
      signals: [abort.signal, signal],
    });
    this.#attempt = undefined;
    // Settled by somebody else, stopped, or taken over: what came back belongs to nobody.
    return abort.signal.reason === "settled" || signal.aborted ? undefined : outcome;
  }

  /** When the attempt ends; without a readable time in the event, after the configured time from now. */
  #expiry(expiresAt: string | undefined, state: AgentState): number {
    const time = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt);
    return Number.isNaN(time) ? this.#scheduler.now() + agentConfig(state).llmRequestExpiryMs : time;
  }
}

/**
 * A planned event as this process appends it: a request of an agent that names no model says which one is called here.
 * Its key stays its trigger's: where processes call different ones, the first decides.
 */
function nameModel(planned: PlannedAppend, { defaultModel = "" }: ModelAdapter): PlannedAppend {
  if (planned.type !== LLM_REQUEST_REQUESTED || defaultModel === "") return planned;
  const { payload } = planned;
  return payload.model === UNNAMED_MODEL
    ? { ...planned, payload: { ...payload, model: defaultModel } }
    : planned;
}

/** Records how a request ended. Whether that was a reply, and nobody had decided otherwise before. */
async function record(agent: FollowedAgent, requestOffset: number, outcome: CallOutcome): Promise<boolean> {
  switch (outcome.kind) {
    case "replied":
      return (await agent.append(replyEvents(requestOffset, outcome.reply))).length > 0;
    case "interrupted":
      await settle(agent, requestOffset, { status: "cancelled", reason: "interrupted" }, outcome.partialText);
      return false;
    case "expired":
      await settle(agent, requestOffset, { status: "failed", reason: "expired" });
      return false;
    case "failed":
      await agent.append([errorItem(requestOffset, outcome.message)], { outside: true });
      await agent.append(failureEvents(requestOffset, outcome, agent.state));
      return false;
  }
}

/** The three facts of a success, appended together. */
function replyEvents(requestOffset: number, { text, finishReason, usage }: ModelReply): NewEvent[] {
  const truncated = isTruncated(finishReason);
  const item = {
    role: "assistant",
    content: text,
    actor: { type: "agent" },
    llmRequestOffset: requestOffset,
    ...(truncated ? { truncated } : {}),
  };
  const result = { status: "succeeded", ...(finishReason === undefined ? {} : { finishReason }) };
  const key = `settle/${requestOffset}`;
  const events: NewEvent[] = [
    { type: CONTEXT_ADDED, payload: item, idempotencyKey: `${key}:item` },
    { type: LLM_REQUEST_SETTLED, payload: { requestOffset, result }, idempotencyKey: key },
  ];
  if (usage !== undefined) {
    events.push({
      type: TOKEN_USAGE_REPORTED,
      payload: { requestOffset, ...usage },
      idempotencyKey: `${key}:usage`,
    });
  }
  return events;
}

/** Settles without an answer. Text that had streamed is kept as plain history, so that it is never executed. */
async function settle(
  agent: FollowedAgent,
  requestOffset: number,
  result: LlmRequestSettledPayload["result"],
  partialText = "",
): Promise<void> {
  const key = `settle/${requestOffset}`;
  const settlement = { type: LLM_REQUEST_SETTLED, payload: { requestOffset, result }, idempotencyKey: key };
  const partial = { role: "assistant", content: partialText, actor: { type: "agent" }, truncated: true };
  await agent.append(
    partialText === ""
      ? [settlement]
      : [{ type: CONTEXT_ADDED, payload: partial, idempotencyKey: `${key}:partial` }, settlement],
  );
}

/**
 * A failed call. Where another try would end the same way, a pause comes with it: it drops the trigger that the failure is,
 * and the next message from outside resumes the agent. One that was configured otherwise meanwhile is tried again.
 */
function failureEvents(
  requestOffset: number,
  { message, isFinal = false }: Extract<CallOutcome, { kind: "failed" }>,
  state: AgentState,
): NewEvent[] {
  const key = `settle/${requestOffset}`;
  const result = { status: "failed", reason: message };
  const settlement = { type: LLM_REQUEST_SETTLED, payload: { requestOffset, result }, idempotencyKey: key };
  const pause = { type: AGENT_PAUSED, payload: { reason: message }, idempotencyKey: `${key}:pause` };
  return isFinal && isStillAskedFor(state) ? [settlement, pause] : [settlement];
}

/** Whether the next request would be made as the open one was. */
function isStillAskedFor(state: AgentState): boolean {
  const asked = state.openRequest?.payload;
  const { mapping, protocol } = agentConfig(state);
  return (asked?.mapping ?? mapping) === mapping && (asked?.protocol ?? protocol) === protocol;
}

/** A provider's error is data from outside: seen by the model, never obeyed, and no reason for another turn. */
function errorItem(requestOffset: number, message: string): NewEvent {
  return {
    type: CONTEXT_ADDED,
    payload: {
      role: "user",
      content: `The model call failed: ${message}`,
      actor: { type: "integration", name: "model provider" },
      llmRequestPolicy: { behaviour: "dont-trigger-request" },
    },
    idempotencyKey: `settle/${requestOffset}:error`,
  };
}
