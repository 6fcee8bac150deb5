import {
  CONTEXT_ADDED,
  CONTEXT_REWRITTEN,
  type KnownEvent,
  parseEvent,
  type StoredEvent,
} from "@promptfold/contract";
import { type AgentState, foldEvent, initialState, type SkippedEvent } from "@promptfold/fold";
import { OffsetNotFoundError } from "./errors.ts";

/** Events in stream order: all at once, or page by page as a journal reads them. */
export type EventPages = Iterable<StoredEvent> | AsyncIterable<readonly StoredEvent[]>;

/** An event that changed what earlier positions hold, so that a prefix broke there on purpose. */
export interface HistoryChange {
  readonly offset: number;
  readonly kind: "rewrite" | "compaction";
}

/** A state replayed up to an offset, and what was noticed on the way. */
export interface ReplayedState {
  readonly state: AgentState;
  /** The event at the offset, as stored. */
  readonly event: StoredEvent;
  readonly skipped: readonly SkippedEvent[];
  readonly historyChanges: readonly HistoryChange[];
}

/** Where a replay begins. */
export interface ReplayStateOptions {
  /** A state to continue from (a snapshot); the events must begin right after it. */
  readonly from?: AgentState | undefined;
}

/**
 * Folds events through an offset, reading page by page and keeping only the state. Gaps between offsets are
 * tolerated, but an event must stand at `offset` itself.
 *
 * @throws OffsetNotFoundError (`offset-not-found`) when none does.
 */
export async function replayState(
  events: EventPages,
  offset: number,
  { from = initialState }: ReplayStateOptions = {},
): Promise<ReplayedState> {
  const fold = new Replay(from);
  let newest = 0;
  for await (const page of pagesOf(events)) {
    for (const stored of page) {
      if (stored.offset > offset) throw new OffsetNotFoundError(offset, stored.offset);
      newest = stored.offset;
      fold.add(stored);
      if (stored.offset === offset) return fold.at(stored);
    }
  }
  throw new OffsetNotFoundError(offset, newest);
}

class Replay {
  #state: AgentState;
  readonly #skipped: SkippedEvent[] = [];
  readonly #historyChanges: HistoryChange[] = [];

  constructor(state: AgentState) {
    this.#state = state;
  }

  add(stored: StoredEvent): void {
    const parsed = parseEvent(stored);
    if (parsed.kind === "known") {
      const next = foldEvent(this.#state, parsed.event);
      const change = next === this.#state ? undefined : historyChange(parsed.event);
      if (change !== undefined) this.#historyChanges.push({ offset: stored.offset, kind: change });
      this.#state = next;
      return;
    }
    const { offset, type } = stored;
    const issues = parsed.kind === "malformed" ? parsed.issues : [];
    this.#skipped.push({ offset, type, kind: parsed.kind, issues });
  }

  at(event: StoredEvent): ReplayedState {
    return { state: this.#state, event, skipped: this.#skipped, historyChanges: this.#historyChanges };
  }
}

function historyChange(event: KnownEvent): HistoryChange["kind"] | undefined {
  if (event.type === CONTEXT_REWRITTEN) return "rewrite";
  if (event.type !== CONTEXT_ADDED) return undefined;
  const { role, compaction } = event.payload;
  return compaction !== undefined && role === "developer" ? "compaction" : undefined;
}

async function* pagesOf(events: EventPages): AsyncGenerator<Iterable<StoredEvent>> {
  if (Symbol.asyncIterator in events) yield* events;
  else yield events;
}
