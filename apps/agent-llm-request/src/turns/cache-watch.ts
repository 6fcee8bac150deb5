import { type OpenRequest, TOKEN_USAGE_REPORTED, type TokenUsageReportedPayload } from "@promptfold/contract";
import type { AgentState } from "@promptfold/fold";
import { renderRequest, type RenderedRequest } from "@promptfold/renderer";
import { predictCachedTokens } from "@promptfold/replay";
import type { FollowedAgent, ObservedEvent } from "../agent-handler.ts";

/** What a provider's cache gave of a request, and what it should have given after an earlier one. */
export interface CacheReport {
  readonly stream: string;
  /** Offset of the request. */
  readonly requestOffset: number;
  /** Offset of the newest earlier request that the provider counted: the prediction is made from it. */
  readonly comparedWith: number;
  /** Milliseconds between the two, by their stamps: the prediction is made as if no cache expired. */
  readonly elapsedMs: number;
  /** All input tokens of the request, as the provider counted them. */
  readonly inputTokens: number;
  /** How many of them should have come from the cache, by `predictCachedTokens` of `@promptfold/replay`. */
  readonly predictedTokens: number;
  /** How many did, as the provider says. */
  readonly reportedTokens: number;
}

/** Is told of each reply that was compared; what it throws is reported as a problem and stops nothing. */
export type CacheListener = (report: CacheReport) => void | Promise<void>;

interface SentRequest {
  readonly request: OpenRequest;
  /** The state right after it opened: what it sent. */
  readonly state: AgentState;
  /** As the provider counted it; undefined until then, and for one that it never counted. */
  readonly usage?: TokenUsageReportedPayload;
}

/**
 * Compares the cached tokens that a provider reports with those that are predicted from the newest earlier request that it
 * counted. Built from events alone, so that a process that takes an agent over knows the same. Renders only to compare.
 */
export class CacheWatch {
  readonly #listener: CacheListener;
  #newest: SentRequest | undefined;
  /** The newest before it that was counted; whether it succeeded is no matter: it was read, so it is in the cache. */
  #counted: SentRequest | undefined;

  constructor(listener: CacheListener) {
    this.#listener = listener;
  }

  observe({ event, before, after }: ObservedEvent): void {
    if (after.openRequest !== null && after.openRequest !== before.openRequest) {
      if (this.#newest?.usage !== undefined) this.#counted = this.#newest;
      this.#newest = { request: after.openRequest, state: after };
    } else if (event.type === TOKEN_USAGE_REPORTED && after !== before) {
      // A count that comes when the next request is open already is passed over: an earlier one predicts no more than it.
      const { payload: usage } = event;
      if (usage.requestOffset === this.#newest?.request.offset) this.#newest = { ...this.#newest, usage };
    }
  }

  /** Tells the listener of the newest request's reply, which this process has just recorded. Never throws. */
  async tell(agent: FollowedAgent): Promise<void> {
    try {
      const report = this.#compare(agent.stream);
      if (report !== undefined) await this.#listener(report);
    } catch (error) {
      agent.report(error);
    }
  }

  #compare(stream: string): CacheReport | undefined {
    const [earlier, later] = [this.#counted, this.#newest];
    const reportedTokens = later?.usage?.cachedInputTokens;
    if (earlier?.usage === undefined || later?.usage === undefined || reportedTokens === undefined)
      return undefined;
    const render = ({ state }: SentRequest): RenderedRequest => renderRequest(state, { stream });
    return {
      stream,
      requestOffset: later.request.offset,
      comparedWith: earlier.request.offset,
      elapsedMs: Date.parse(later.request.requestedAt) - Date.parse(earlier.request.requestedAt),
      inputTokens: later.usage.inputTokens,
      predictedTokens: predictCachedTokens(render(earlier), render(later), earlier.usage.inputTokens),
      reportedTokens,
    };
  }
}
