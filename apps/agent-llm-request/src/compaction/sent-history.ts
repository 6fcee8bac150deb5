import { LLM_REQUEST_SETTLED, TOKEN_USAGE_REPORTED } from "@promptfold/contract";
import { agentConfig, type AgentState } from "@promptfold/fold";
import { historyChange } from "@promptfold/renderer";
import type { ObservedEvent } from "../agent-handler.ts";
import { contentSize } from "./content-size.ts";
import { saysTooLong } from "./says-too-long.ts";

/** By how much a request must have grown since the last compaction before another one can be of use. */
const GROWTH = 1.25;
/** At this part of the context window there is less waiting: for this growth. */
const ALMOST_FULL = 0.9;
const LEAST_GROWTH = 1.1;
/** After so many failures in a row, however they are worded, the requests may be too long. */
const MANY_FAILURES = 3;

/** A request that opened. */
export interface SentRequest {
  readonly offset: number;
  /** The state right after it opened: what it sent. */
  readonly state: AgentState;
}

/** The requests of one agent since its history last changed, and how large they are. Built from events alone. */
export class SentHistory {
  /** Counts the changes of history: what was learnt before one does not hold after it. */
  changes = 0;
  /** How many requests have ended, in whatever way. */
  endedRequests = 0;
  /** The newest request that succeeded. */
  succeeded: SentRequest | undefined;
  /** The newest one, until it is settled and beyond. */
  #newest: SentRequest | undefined;
  #newestTokens: number | undefined;
  /** The newest that succeeded and was counted by the provider; tokens are those of the request and its reply. */
  #measured: { readonly request: SentRequest; readonly tokens: number } | undefined;
  /** Tokens of the first request measured after the last compaction; `awaited` until it is. */
  #tokensAfter: number | "awaited" | undefined;
  /** The newest that the provider refused, since the newest success; the estimate is made when it is asked for. */
  #refused: { readonly request: SentRequest; readonly reason: string; estimate?: number } | undefined;
  #failuresInRow = 0;

  observe({ event, before, after }: ObservedEvent): void {
    const change = historyChange(event);
    if (change !== undefined) {
      this.changes++;
      this.succeeded = this.#newest = this.#measured = this.#refused = undefined;
      // How large a summary left the history says nothing about one that was rewritten.
      this.#tokensAfter = change === "compaction" ? "awaited" : undefined;
    }
    if (after.openRequest !== null && after.openRequest !== before.openRequest) {
      this.#newest = { offset: after.openRequest.offset, state: after };
      this.#newestTokens = undefined;
    }
    if (event.type === LLM_REQUEST_SETTLED) this.#settle(event.payload.result);
    else if (event.type === TOKEN_USAGE_REPORTED && event.payload.requestOffset === this.#newest?.offset) {
      this.#newestTokens = event.payload.inputTokens + event.payload.outputTokens;
    } else return;
    this.#measure();
  }

  #settle({ status, reason }: { readonly status: string; readonly reason?: unknown }): void {
    this.endedRequests++;
    if (status === "succeeded") {
      this.succeeded = this.#newest;
      this.#refused = undefined;
      this.#failuresInRow = 0;
    } else if (status === "failed" && reason !== "expired") {
      // One that ran out of time was not refused: nothing is known of its size.
      this.#failuresInRow++;
      if (this.#newest !== undefined) this.#refused = { request: this.#newest, reason: String(reason) };
    }
  }

  /** Notes the size of the newest request once it has succeeded and was counted, whichever came first. */
  #measure(): void {
    const [request, tokens] = [this.#newest, this.#newestTokens];
    if (request === undefined || request !== this.succeeded || tokens === undefined) return;
    this.#measured = { request, tokens };
    if (this.#tokensAfter === "awaited") this.#tokensAfter = tokens;
  }

  /** Whether the size calls for a summary: what the provider counted last reaches the limit, or nothing fits any more. */
  isTooLarge(state: AgentState, ran: number | undefined): boolean {
    const limit = this.#limit(state);
    if (limit === Infinity) return false;
    return (this.#measured?.tokens ?? 0) >= limit || this.isStuck(state, ran);
  }

  /**
   * Whether the newest request seems to have failed because it is too long: the provider says so, its text is that much
   * longer than what was measured, or too many failed in a row. The last is a guess, so it holds only right after the
   * failure, in the process that ran the request: a provider that is out of order answers no call for a summary either.
   */
  isStuck(state: AgentState, ran: number | undefined): boolean {
    const refused = this.#refused;
    if (refused === undefined) return false;
    if (saysTooLong(refused.reason)) return true;
    if (this.#failuresInRow >= MANY_FAILURES && ran === refused.request.offset) return true;
    return this.#estimate(refused) >= this.#limit(state);
  }

  #estimate(refused: { readonly request: SentRequest; estimate?: number }): number {
    if (this.#measured === undefined) return 0;
    const { request, tokens } = this.#measured;
    refused.estimate ??=
      (tokens * contentSize(refused.request.state)) / Math.max(contentSize(request.state), 1);
    return refused.estimate;
  }

  /** The newest request, when the provider said that it is too long. */
  get tooLong(): SentRequest | undefined {
    return this.#refused !== undefined && saysTooLong(this.#refused.reason)
      ? this.#refused.request
      : undefined;
  }

  /** Tokens that the last compaction left, when they fill the window almost: another one would gain little. */
  leftTooMuch(state: AgentState): number | undefined {
    const { contextWindow = Infinity } = agentConfig(state).compaction;
    const left = this.#tokensAfter;
    return typeof left === "number" && left >= contextWindow * ALMOST_FULL ? left : undefined;
  }

  /**
   * From how many tokens on history is compacted. Where what a compaction leaves is nearly as much as the threshold, or
   * more, another one right away would gain nothing, so it waits until the request has grown by a quarter; by only a
   * tenth where the window is almost full by then, unless a compaction leaves it almost full.
   */
  #limit(state: AgentState): number {
    const { contextWindow, threshold } = agentConfig(state).compaction;
    if (contextWindow === undefined) return Infinity;
    const left = typeof this.#tokensAfter === "number" ? this.#tokensAfter : 0;
    const isHopeless = this.leftTooMuch(state) !== undefined;
    const latest = isHopeless ? Infinity : Math.max(contextWindow * ALMOST_FULL, left * LEAST_GROWTH);
    return Math.max(contextWindow * threshold, Math.min(left * GROWTH, latest));
  }
}
