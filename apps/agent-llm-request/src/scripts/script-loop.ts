import type { ParsedReply, ReplyOptions } from "@promptfold/codemode";
import {
  CONTEXT_ADDED,
  type ContextAddedPayload,
  SCRIPT_RUN_REQUESTED,
  SCRIPT_RUN_SETTLED,
  type ScriptRunSettledPayload,
} from "@promptfold/contract";
import { agentConfig, type AgentState } from "@promptfold/fold";
import { EventTooLargeError, InvalidEventError, type NewEvent } from "@promptfold/journal";
import type { AgentHandler, FollowedAgent, ObservedEvent } from "../agent-handler.ts";
import { describeError } from "../describe-error.ts";
import { executionIdOf, replyOffsetOf } from "./execution-id.ts";
import { type ScriptReport, scriptReportEvents } from "./script-report.ts";
import type { RequestedScript, ScriptRunner } from "./script-runner.ts";

/** Idempotency keys of what a reply led to. */
const INTERPRET_PREFIX = "interpret/";
/** Idempotency keys of messages about settled scripts. */
const REPORT_PREFIX = "script-result/";

/** How a script is settled that was requested by a process that is gone. */
const interrupted = {
  status: "unknown",
  error: "The process that ran the script ended before it could say how the script ended.",
};

/** What a script loop works with. */
export interface ScriptLoopOptions {
  /** The processor that this loop works for: it settles and reports the scripts that this processor requested. */
  readonly processor: string;
  /** Reads the reply format. */
  readonly parseReply: (text: string, options: ReplyOptions) => ParsedReply;
  /** Whether the replies of an agent in this state are this loop's to interpret. */
  readonly interprets: (state: AgentState) => boolean;
  readonly runScript: ScriptRunner;
}

/**
 * The script loop of one agent: interprets its replies, runs the scripts in them and reports how they ended. Every
 * append carries a key of its reply or script. A script that was requested but whose run this process did not start
 * itself is never run: it may have run before a crash, so it is settled as unknown.
 */
export class ScriptLoop implements AgentHandler {
  readonly #options: ScriptLoopOptions;
  /** Replies not interpreted yet, by offset. */
  readonly #unread = new Map<number, ContextAddedPayload>();
  /** Scripts of this processor that are not settled. */
  readonly #unsettled = new Map<string, { readonly offset: number; readonly requestedAt: string }>();
  readonly #unreported = new Map<string, ScriptReport>();
  /** Scripts that this process requested and has not begun to run. */
  readonly #ready = new Map<string, RequestedScript>();

  constructor(options: ScriptLoopOptions) {
    this.#options = options;
  }

  observe({ event, before, after }: ObservedEvent): void {
    // Only what comes from inside says what is done: anybody could name a key or an execution.
    if (event.trust === "outside") return;
    const { idempotencyKey: key } = event;
    if (key?.startsWith(INTERPRET_PREFIX)) this.#unread.delete(Number(key.slice(INTERPRET_PREFIX.length)));
    if (key?.startsWith(REPORT_PREFIX)) this.#unreported.delete(key.slice(REPORT_PREFIX.length));
    if (after === before) return;
    if (event.type === CONTEXT_ADDED) {
      // Older streams may have been written without keys: the message itself says whose result it is.
      const reported = event.payload.actor?.["executionId"];
      if (typeof reported === "string") this.#unreported.delete(reported);
      if (event.payload.llmRequestOffset === undefined || event.payload.role !== "assistant") return;
      if (this.#options.interprets(after)) this.#unread.set(event.offset, event.payload);
    } else if (event.type === SCRIPT_RUN_REQUESTED) {
      const { executionId } = event.payload;
      const reply = replyOffsetOf(executionId);
      if (reply !== undefined) this.#unread.delete(reply);
      if (event.source?.processor !== this.#options.processor) return;
      this.#unsettled.set(executionId, { offset: event.offset, requestedAt: event.createdAt });
    } else if (event.type === SCRIPT_RUN_SETTLED) {
      this.#noteSettled(event.payload, event.offset, event.createdAt);
    }
  }

  #noteSettled(payload: ScriptRunSettledPayload, offset: number, settledAt: string): void {
    const { executionId } = payload;
    const script = this.#unsettled.get(executionId);
    if (script === undefined) return;
    this.#unsettled.delete(executionId);
    const durationMs = Date.parse(settledAt) - Date.parse(script.requestedAt);
    this.#unreported.set(executionId, { payload, settledOffset: offset, durationMs });
  }

  isBusy(): boolean {
    return this.#unread.size + this.#unsettled.size + this.#unreported.size > 0;
  }

  async work(agent: FollowedAgent): Promise<undefined> {
    for (const [offset, reply] of this.#unread) await this.#interpret(agent, offset, reply);
    for (const executionId of this.#unsettled.keys()) await this.#settle(agent, executionId);
    for (const [executionId, report] of this.#unreported) {
      const limit = agentConfig(agent.state).scriptResultLimit;
      const events = scriptReportEvents(report, {
        stream: agent.stream,
        limit,
        idempotencyKey: `${REPORT_PREFIX}${executionId}`,
      });
      if (events.length > 0) await agent.append(events);
      this.#unreported.delete(executionId);
    }
    return undefined;
  }

  async #interpret(
    agent: FollowedAgent,
    offset: number,
    { content, truncated }: ContextAddedPayload,
  ): Promise<void> {
    const reply = this.#options.parseReply(content, truncated === true ? { finishReason: "length" } : {});
    const idempotencyKey = `${INTERPRET_PREFIX}${offset}`;
    if (reply.kind === "script") {
      const { code, wrap, status } = reply;
      const executionId = executionIdOf(offset);
      const payload = { executionId, code, wrap, ...(status === undefined ? {} : { status }) };
      // Known before the append, so that the event finds its script; the lease keeps others from requesting it.
      this.#ready.set(executionId, { stream: agent.stream, executionId, code, wrap });
      await agent.append([{ type: SCRIPT_RUN_REQUESTED, payload, idempotencyKey }]);
    } else if (reply.kind !== "none") {
      await agent.append([this.#feedback(reply.feedback, idempotencyKey)]);
    }
    this.#unread.delete(offset);
  }

  #feedback(content: string, idempotencyKey: string): NewEvent {
    const actor = { type: "worker", name: this.#options.processor };
    return { type: CONTEXT_ADDED, payload: { role: "developer", content, actor }, idempotencyKey };
  }

  async #settle(agent: FollowedAgent, executionId: string): Promise<void> {
    const script = this.#ready.get(executionId);
    this.#ready.delete(executionId);
    const { signal } = agent;
    const run = script === undefined ? { settlement: interrupted } : await this.#run(agent, script);
    // Stopped or taken over: how the script ended is not ours to say any more.
    if (signal.aborted) return;
    const idempotencyKey = `script-settled/${executionId}`;
    const settled = (payload: object): NewEvent => ({ type: SCRIPT_RUN_SETTLED, payload, idempotencyKey });
    try {
      await agent.append([settled({ executionId, ...run })]);
    } catch (error) {
      if (!EventTooLargeError.isInstance(error) && !InvalidEventError.isInstance(error)) throw error;
      const reason = `The script ended, but what it left cannot be stored: ${describeError(error)}`;
      await agent.append([settled({ executionId, settlement: { status: "unknown", error: reason } })]);
    }
  }

  async #run(agent: FollowedAgent, script: RequestedScript): Promise<object> {
    await agent.assertHeld();
    try {
      return await this.#options.runScript(script, agent.signal);
    } catch (error) {
      return {
        settlement: { status: "unknown", error: `The script's runner failed: ${describeError(error)}` },
      };
    }
  }
}
