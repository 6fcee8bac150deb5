import type { CommittedEvent, LeaseTarget, Scope, Snapshot, SnapshotKey, Source } from "./journal.ts";
import type { PreparedRestore } from "./prepare-restored.ts";

/** An event that passed validation: what a store is asked to append. */
export interface PreparedEvent {
  readonly type: string;
  readonly payload: unknown;
  readonly payloadText: string;
  /** Length of `payloadText` in UTF-8. */
  readonly payloadBytes: number;
  readonly idempotencyKey: string | undefined;
}

/** One append, validated. */
export interface AppendRequest {
  readonly stream: string;
  readonly events: readonly PreparedEvent[];
  readonly source: Source;
  readonly expectedOffset: number | undefined;
  readonly lease: (LeaseTarget & { readonly fence: number }) | undefined;
}

/** One page request on a stream. A store scans forward from `after` and may return fewer than `limit`. */
export interface StreamPageRequest {
  readonly after: number;
  readonly through: number;
  readonly types: readonly string[] | undefined;
  readonly limit: number;
}

/** Events in order, where to go on, and whether more may be there already. */
export interface Page {
  readonly events: readonly CommittedEvent[];
  readonly next: number;
  readonly more: boolean;
}

/** The bytes of payload after which a store ends a page, so that a reader's memory stays bounded. */
export const PAGE_BYTES: number = 4 * 1024 * 1024;

/** The rows a store looks at for one page at most, so that one call stays short however few events match. */
export const PAGE_SCAN: number = 2_000;

/** The events of a database. Arguments are validated already; each method is one short transaction. */
export interface EventStore {
  /**
   * Whether events get their positions in the order they are committed. Where they do not, `readPrefix` ends at a gap that an
   * append on its way may still fill.
   */
  readonly inCommitOrder?: boolean;
  append(request: AppendRequest): Promise<readonly CommittedEvent[]>;
  restore(stream: string, events: readonly PreparedRestore[], after: number): Promise<void>;
  readStream(stream: string, request: StreamPageRequest): Promise<Page>;
  readPrefix(prefix: string, request: { readonly after: number; readonly limit: number }): Promise<Page>;
  head(stream: string): Promise<number>;
  streamNames(prefix: string, after: string, limit: number): Promise<readonly string[]>;
  /** Calls `wake` after each commit that the scope may see, from any process; may call it more often. */
  watch(scope: Scope, wake: () => void): () => void;
  /** What is wrong with the stored data below the level of events; empty when nothing is. */
  integrity(): Promise<readonly string[]>;
}

/** What processors keep beside the events. Arguments are validated already; each method is one short transaction. */
export interface ProcessorStore {
  /** Which of the leases could be taken now, in the order of the targets; writes nothing. */
  freeLeases(targets: readonly LeaseTarget[]): Promise<readonly boolean[]>;
  /** The fence when the lease was free, else `undefined`. */
  acquireLease(target: LeaseTarget, ttlMs: number): Promise<number | undefined>;
  /** Whether the lease was still held with this fence. */
  renewLease(target: LeaseTarget, fence: number, ttlMs: number): Promise<boolean>;
  releaseLease(target: LeaseTarget, fence: number): Promise<void>;
  loadCheckpoint(processor: string, scope: string): Promise<number>;
  /** Keeps the greater cursor; `undefined` forgets it. */
  saveCheckpoint(processor: string, scope: string, cursor: number | undefined): Promise<void>;
  saveSnapshot(key: SnapshotKey, snapshot: Snapshot): Promise<void>;
  loadSnapshot(key: SnapshotKey, through: number): Promise<Snapshot | undefined>;
  clearSnapshots(stream: string): Promise<void>;
}

/** What a database provides; `createJournal` builds the journal on it. */
export interface Store {
  readonly events: EventStore;
  readonly processors: ProcessorStore;
  close(): Promise<void>;
}
