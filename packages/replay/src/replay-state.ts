import { CONTEXT_REWRITTEN, type KnownEvent, parseEvent, type StoredEvent } from "@promptfold/contract";
import { type AgentState, foldEvent, initialState, type SkippedEvent, skippedEvent } from "@promptfold/fold";
import { historyChange } from "@promptfold/renderer";
import { OffsetNotFoundError } from "./errors.ts";
import { type ReadSnapshot, readSnapshot, type StateSnapshot } from "./snapshot.ts";

/** Events in stream order: all at once, or page by page as a journal reads them. */
export type EventPages = Iterable<StoredEvent> | AsyncIterable<readonly StoredEvent[]>;

/** Events, or what reads those after an offset: with that, a replay from a snapshot reads only what it needs. */
export type EventSource = EventPages | ((after: number) => EventPages);

/** An event that changed what earlier positions hold, so that a prefix broke there on purpose. */
export interface HistoryChange {
  readonly offset: number;
  readonly kind: "rewrite" | "compaction";
  /** Of a rewrite: the key that it replaced or deleted; `*` for everything. */
  readonly key?: string | undefined;
}

/** A state replayed up to an offset, and what was noticed on the way. */
export interface ReplayedState {
  readonly offset: number;
  readonly state: AgentState;
  /** The event at the offset, as stored. */
  readonly event: StoredEvent;
  /** Unknown and malformed events, the first {@link MAX_LISTED} of each; `skippedCount` counts all that were read. */
  readonly skipped: readonly SkippedEvent[];
  readonly skippedCount: number;
  readonly historyChanges: readonly HistoryChange[];
  /** Offset of the snapshot that the replay began at; 0 when it began with the stream. */
  readonly replayedFrom: number;
}

/** Where a replay begins. */
export interface ReplayStateOptions {
  /** A state to continue from; the events must begin right after it. */
  readonly from?: AgentState | undefined;
  /**
   * A snapshot of the same stream, read already or not. It is used when this release can read it and it stands before
   * the offset, else ignored; events that it stands for are passed over, so they may be there.
   */
  readonly snapshot?: StateSnapshot | ReadSnapshot | undefined;
}

/** How many skipped events of a kind are listed, so that memory stays bounded whatever a log holds. */
const MAX_LISTED = 1000;

/**
 * Folds events through an offset, reading page by page and keeping only the state. Gaps between offsets are
 * tolerated, but an event must stand at `offset` itself.
 *
 * @throws OffsetNotFoundError (`offset-not-found`) when none does.
 */
export async function replayState(
  events: EventSource,
  offset: number,
  { from = initialState, snapshot }: ReplayStateOptions = {},
): Promise<ReplayedState> {
  const start = snapshot === undefined || snapshot.offset >= offset ? undefined : readOnce(snapshot);
  const after = start?.offset ?? 0;
  const fold = new Replay(start ?? { state: from, historyChanges: [], skipped: [], skippedCount: 0 });
  let newest = after;
  for await (const page of pagesOf(typeof events === "function" ? events(after) : events)) {
    for (const stored of page) {
      if (stored.offset <= after) continue;
      if (stored.offset > offset) throw new OffsetNotFoundError(offset, stored.offset);
      newest = stored.offset;
      fold.add(stored);
      if (stored.offset === offset) return { offset, event: stored, replayedFrom: after, ...fold.result };
    }
  }
  throw new OffsetNotFoundError(offset, newest);
}

function readOnce(snapshot: StateSnapshot | ReadSnapshot): ReadSnapshot | undefined {
  return "foldVersion" in snapshot ? readSnapshot(snapshot) : snapshot;
}

/** A state, and what was noticed on the way to it. */
type Noticed = Pick<ReplayedState, "state" | "skipped" | "skippedCount" | "historyChanges">;

class Replay {
  #state: AgentState;
  #skippedCount: number;
  readonly #skipped: SkippedEvent[];
  readonly #listed = { unknown: 0, malformed: 0 };
  readonly #historyChanges: HistoryChange[];

  constructor({ state, historyChanges, skipped, skippedCount }: Noticed) {
    this.#state = state;
    this.#historyChanges = [...historyChanges];
    this.#skipped = [...skipped];
    this.#skippedCount = skippedCount;
    for (const { kind } of skipped) this.#listed[kind]++;
  }

  add(stored: StoredEvent): void {
    const parsed = parseEvent(stored);
    if (parsed.kind === "known") {
      const next = foldEvent(this.#state, parsed.event);
      const change = next === this.#state ? undefined : describeChange(parsed.event);
      if (change !== undefined) this.#historyChanges.push(change);
      this.#state = next;
      return;
    }
    this.#skippedCount++;
    if (this.#listed[parsed.kind]++ < MAX_LISTED) this.#skipped.push(skippedEvent(parsed));
  }

  get result(): Noticed {
    return {
      state: this.#state,
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
      historyChanges: this.#historyChanges,
    };
  }
}

function describeChange(event: KnownEvent): HistoryChange | undefined {
  const kind = historyChange(event);
  if (kind === undefined) return undefined;
  const { offset } = event;
  return event.type === CONTEXT_REWRITTEN ? { offset, kind, key: event.payload.key } : { offset, kind };
}

async function* pagesOf(events: EventPages): AsyncGenerator<Iterable<StoredEvent>> {
  if (Symbol.asyncIterator in events) yield* events;
  else yield events;
}
