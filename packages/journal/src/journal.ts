import type { Source, StoredEvent } from "@promptfold/contract";

export type { Source } from "@promptfold/contract";

/**
 * An event to append. `payload` is any value that JSON carries exactly; `payloadText` is JSON text that is stored
 * as it stands. Events that carry an `idempotencyKey` can be appended again without being stored again. A handle of trust
 * `outside` stores its keys under `outside/`, so that nothing from outside can take a key that the inside decides by.
 */
export type NewEvent =
  | { readonly type: string; readonly payload: unknown; readonly idempotencyKey?: string | undefined }
  | { readonly type: string; readonly payloadText: string; readonly idempotencyKey?: string | undefined };

/** An event as the journal holds it. `offset` counts in its stream, `position` gives the order of the whole journal. */
export interface CommittedEvent extends StoredEvent {
  readonly stream: string;
  /**
   * The event's place in the journal's order, which subscriptions by prefix follow: nobody who has seen a position ever
   * sees a smaller one appear. Ascends along each stream; may have gaps.
   */
  readonly position: number;
  /** The payload's JSON text, exactly as it was stored. */
  readonly payloadText: string;
}

/** What a processor follows: one stream, or every stream whose name starts with the prefix. */
export type Scope = { readonly stream: string } | { readonly prefix: string };

/** Which events {@link JournalReader.read} returns. */
export interface ReadOptions {
  /** Only events with a greater offset. Default 0. */
  readonly after?: number | undefined;
  /** Only events up to and including this offset. Default: the head when reading reaches it. */
  readonly through?: number | undefined;
  /** Only events of these types. Default: all. */
  readonly types?: readonly string[] | undefined;
  /** The most events in one page, 1 to 10,000. Default 500. A page also ends when its payloads reach about 4 MiB. */
  readonly pageSize?: number | undefined;
}

/** Where {@link JournalReader.subscribe} begins and when it ends. */
export interface SubscribeOptions {
  /** For a stream the offset, for a prefix the position, after which to begin. Default 0: from the first event. */
  readonly after?: number | undefined;
  /** Ends the subscription, without an error, as soon as it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** What {@link JournalHandle.append} checks besides idempotency keys. */
export interface AppendOptions {
  /** The stream's head, as the caller knows it; 0 for a stream that does not exist yet. */
  readonly expectedOffset?: number | undefined;
  /** A lease that must still be held. */
  readonly lease?: Lease | undefined;
}

/** The reading side of a journal. */
export interface JournalReader {
  /** Pages of a stream's events in offset order; an unknown stream has none. Memory is bounded by one page. */
  read(stream: string, options?: ReadOptions): AsyncIterable<readonly CommittedEvent[]>;
  /** The offset of the stream's last event; 0 for an unknown stream. */
  head(stream: string): Promise<number>;
  /** The names of the streams that start with `prefix` (default: all), in code point order, fetched by pages. */
  streams(options?: { readonly prefix?: string | undefined }): AsyncIterable<string>;
  /**
   * Committed events in order, none missed or repeated: first those already there, then each as it is committed.
   * The next page is read only when the consumer asks for it. Ends when `signal` aborts or the journal closes.
   */
  subscribe(scope: Scope, options?: SubscribeOptions): AsyncIterableIterator<CommittedEvent, undefined>;
}

/** A journal as one processor sees it: everything it appends carries `source`. */
export interface JournalHandle extends JournalReader {
  readonly source: Source;
  /**
   * Appends a batch: all of it or nothing, in input order, at contiguous offsets, durable when the promise resolves.
   * Returns the committed event for each input, in input order; an empty batch gives `[]`.
   *
   * An idempotency key that the stream already holds with a structurally equal type and payload yields the event
   * committed before; a batch of nothing else succeeds whatever the options say. Otherwise nothing lands and the
   * promise rejects, checked in this order, with `InvalidNameError`, `InvalidEventError` or `EventTooLargeError`,
   * `IdempotencyConflictError`, `OffsetConflictError`, `LeaseLostError`, `JournalStorageError` (the store failed) or
   * `JournalClosedError`. `AppendOutcomeUnknownError` alone leaves open whether the batch landed.
   */
  append(
    stream: string,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<readonly CommittedEvent[]>;
}

/** Who holds a lease on what: at most one holder per stream and processor. */
export interface LeaseTarget {
  readonly stream: string;
  readonly processor: string;
}

/** How {@link Journal.lease} acquires. */
export interface LeaseOptions {
  /** How long the lease lasts without renewal, in milliseconds, at least 10. */
  readonly ttlMs: number;
  /** Whether to wait while another holder has it. Default true. */
  readonly wait?: boolean | undefined;
  /** Stops waiting: the result is then `undefined`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A lease that was granted. It ends when it is released, or when another holder takes it over after `ttlMs` without a
 * renewal. From then on every append that names it fails with `LeaseLostError`. A lease that ran out but that nobody
 * took over is still good: what keeps a late holder out is the fence, not a clock.
 */
export interface Lease extends LeaseTarget {
  /** Greater than the fence of every earlier lease on the same target. */
  readonly fence: number;
  /** Extends the lease by `ttlMs` from now. Throws `LeaseLostError` when another holder took over. */
  renew(): Promise<void>;
  /** Gives the lease up, so that the next holder need not wait. Does nothing when it was lost already. */
  release(): Promise<void>;
}

/**
 * How far processors have come. A processor handles events, then saves the cursor, so after a crash it sees the events
 * since its last save again: at least once, in order per stream. The cursor is what `subscribe` takes as `after`.
 */
export interface Checkpoints {
  /** The saved cursor; 0 when nothing was saved. */
  load(processor: string, scope: Scope): Promise<number>;
  /** Saves the cursor. A smaller one than is saved already changes nothing. */
  save(processor: string, scope: Scope, cursor: number): Promise<void>;
  /** Forgets the cursor, so that the processor starts over. */
  reset(processor: string, scope: Scope): Promise<void>;
}

/** Which snapshots belong together: those of one stream, made by one fold under one contract. */
export interface SnapshotKey {
  readonly stream: string;
  readonly foldVersion: string;
  readonly contractVersion: string;
}

/** Saved fold state: opaque text that stands for the stream's events through `offset`. */
export interface Snapshot {
  readonly offset: number;
  /** Text without U+0000 and without halves of surrogate pairs, so that every store gives it back as it was. */
  readonly state: string;
}

/** Saved states, so that an old offset does not cost a refold. They are a cache: losing them loses nothing. */
export interface Snapshots {
  /** Saves a state at an offset, replacing one saved at the same offset under the same key. */
  save(key: SnapshotKey, snapshot: Snapshot): Promise<void>;
  /** The snapshot at the greatest offset that is not above `through` (default: any), or `undefined`. */
  load(key: SnapshotKey, options?: { readonly through?: number | undefined }): Promise<Snapshot | undefined>;
  /** Removes the snapshots of a stream under every version. */
  clear(stream: string): Promise<void>;
}

/** An event with everything the journal would have given it, to be restored as it was. */
export interface RestoredEvent {
  readonly offset: number;
  readonly type: string;
  readonly payloadText: string;
  readonly createdAt: string;
  readonly idempotencyKey?: string;
  readonly source?: Source;
}

/** How {@link Journal.verify} runs. */
export interface VerifyOptions {
  /** Called after each stream. */
  readonly onProgress?:
    ((progress: { readonly streams: number; readonly events: number }) => void) | undefined;
}

/** A law that does not hold, and where. */
export interface VerifyProblem {
  readonly message: string;
  readonly stream?: string;
  readonly offset?: number;
}

/** What {@link Journal.verify} found. */
export interface VerifyReport {
  readonly streams: number;
  readonly events: number;
  /** Empty when every law holds. */
  readonly problems: readonly VerifyProblem[];
}

/** An open event store. All stores behave alike; `@promptfold/journal/testing` is the suite that says how. */
export interface Journal extends JournalReader {
  /** A handle that stamps `source` on everything it appends, whatever the events themselves claim. */
  as(source: Source): JournalHandle;
  /** A lease on the target; `undefined` when it is held and `wait` is false, or when waiting ended without it. */
  lease(target: LeaseTarget, options: LeaseOptions): Promise<Lease | undefined>;
  readonly checkpoints: Checkpoints;
  readonly snapshots: Snapshots;
  /**
   * Privileged: appends events with the offsets, times, keys and sources they already have. Offsets and times must
   * ascend; the stream's head must be `after`, else `OffsetConflictError`. One call is atomic.
   */
  restore(
    stream: string,
    events: readonly RestoredEvent[],
    options: { readonly after: number },
  ): Promise<void>;
  /**
   * Checks every law of the store on what it holds: the files, offsets, times, keys, sources, payloads, the journal's
   * order. Reads everything; others may go on appending: where an append is on its way, what stands behind it in the journal's
   * order is compared once that has ended, or left out when it does not end for a second.
   */
  verify(options?: VerifyOptions): Promise<VerifyReport>;
  /**
   * Ends subscriptions and waits, lets the calls that began before land, then releases the store. Calls that begin afterwards,
   * those of leases too, fail with `JournalClosedError`.
   */
  close(): Promise<void>;
}
