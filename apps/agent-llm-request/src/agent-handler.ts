import type { KnownEvent } from "@promptfold/contract";
import type { AgentState } from "@promptfold/fold";
import type { CommittedEvent, NewEvent } from "@promptfold/journal";

/** One event of an agent's stream, with the state before and after it. */
export interface ObservedEvent {
  readonly event: KnownEvent;
  readonly before: AgentState;
  readonly after: AgentState;
}

/** An agent as its handler may act on it. */
export interface FollowedAgent {
  readonly stream: string;
  /** Folded through everything seen so far; during `work` it moves on as events arrive. */
  readonly state: AgentState;
  /** Offset of the newest event seen. */
  readonly offset: number;
  /** Aborts when the follower stops or another process took the agent over: finish nothing then. */
  readonly signal: AbortSignal;
  /**
   * Makes sure, right before something that cannot be taken back, that no other process has taken the agent over.
   *
   * @throws LeaseLostError when one has; let it through.
   */
  assertHeld(): Promise<void>;
  /**
   * Appends under the processor's lease and waits until the events are part of `state`. An idempotency conflict means
   * that somebody decided already: it resolves too, once that decision is part of `state`.
   *
   * @throws OffsetConflictError when the stream is not at `expectedOffset`, once what came in between is part of `state`.
   */
  append(
    events: readonly NewEvent[],
    options?: { readonly expectedOffset?: number; readonly outside?: boolean },
  ): Promise<readonly CommittedEvent[]>;
  /** Tells whoever runs the worker of an error that stops nothing. */
  report(error: unknown): void;
}

/**
 * What one processor does for one agent. A handler decides by the state it has observed, never by a single event, so
 * that it comes to the same decisions when it starts late, starts again or sees an event twice.
 */
export interface AgentHandler {
  /** Takes in an event: history first, then live. Must only record, never act. */
  observe(observed: ObservedEvent): void;
  /** Whether something is left to do, now or later; until then the processor's cursor stays behind it. */
  isBusy(state: AgentState): boolean;
  /**
   * Does what there is to do now. Never runs twice at once for one agent, and runs again after each event. Resolves
   * to the time (milliseconds since the epoch) at which to run without an event, or undefined.
   */
  work(agent: FollowedAgent): Promise<number | undefined>;
}

/** Several handlers as one: each observes everything, and they work in turn. */
export function composeHandlers(...handlers: readonly AgentHandler[]): AgentHandler {
  return {
    observe(observed) {
      for (const handler of handlers) handler.observe(observed);
    },
    isBusy: (state) => handlers.some((handler) => handler.isBusy(state)),
    async work(agent) {
      const times: number[] = [];
      for (const handler of handlers) {
        const time = await handler.work(agent);
        if (time !== undefined) times.push(time);
      }
      return times.length === 0 ? undefined : Math.min(...times);
    },
  };
}
