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
  VerifyOptions,
  VerifyProblem,
  VerifyReport,
} from "./journal.ts";
export { openJournal, type OpenJournalOptions } from "./open-journal.ts";
export { migrateJournal, type MigrationReport } from "./migrate-journal.ts";
export { monotonicClock, type Clock } from "./clock.ts";
export {
  exportJsonl,
  importJsonl,
  readJsonl,
  type ExportOptions,
  type ImportOptions,
  type ImportReport,
  type JsonlProgress,
  type JsonlReport,
  type TornLine,
} from "./jsonl.ts";
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
