export type {
  AppendOptions,
  Checkpoints,
  CommittedEvent,
  Journal,
  JournalHandle,
  JournalReader,
  Lease,
  LeaseOptions,
  LeaseTarget,
  NewEvent,
  ReadOptions,
  RestoredEvent,
  Scope,
  Snapshot,
  SnapshotKey,
  Snapshots,
  Source,
  SubscribeOptions,
} from "./journal.ts";
export { openJournal, type OpenJournalOptions } from "./open-journal.ts";
export { monotonicClock, type Clock } from "./clock.ts";
export { limits } from "./limits.ts";
export {
  AppendOutcomeUnknownError,
  EventTooLargeError,
  IdempotencyConflictError,
  InvalidEventError,
  InvalidJournalUrlError,
  InvalidNameError,
  InvalidOptionError,
  JournalClosedError,
  JournalStorageError,
  JsonlError,
  LeaseLostError,
  OffsetConflictError,
  type StorageFailure,
} from "./errors.ts";
