import { PromptfoldError } from "@promptfold/contract";
import { JournalStorageError } from "./errors.ts";
import { sqliteResultCode } from "./sqlite-driver.ts";

const BUSY = 5;
const LOCKED = 6;

/** Whether another connection is in the way, so that trying again later makes sense. */
export function isBusy(error: unknown): boolean {
  const code = sqliteResultCode(error);
  return code === BUSY || code === LOCKED;
}

/** The typed error for what the driver threw on this file; typed errors pass through. */
export function storageError(error: unknown, path: string): unknown {
  if (PromptfoldError.isInstance(error)) return error;
  const code = sqliteResultCode(error);
  if (code === undefined) return error;
  const detail = `(${(error as Error).message})`;
  const failure = (reason: JournalStorageError["reason"], message: string): JournalStorageError =>
    new JournalStorageError(reason, `${path}: ${message}`, { cause: error });
  switch (code) {
    case BUSY:
    case LOCKED:
      return failure(
        "busy",
        "another process kept writing to the journal for too long; try again, or end that process",
      );
    case 8:
      return failure(
        "read-only",
        "the journal cannot be written; give this user write access to the file and its folder",
      );
    case 11:
      return failure(
        "corrupt",
        `the file is damaged ${detail}; keep a copy of it and of its -wal file, then restore a backup or an export`,
      );
    case 13:
      return failure("disk-full", "the disk is full, and nothing was written; free some space and try again");
    case 14:
      return failure(
        "missing",
        "the file cannot be opened; create its folder first, and see that this user may use it",
      );
    case 26:
      return failure(
        "not-a-journal",
        "the file is not an SQLite database; name another file, or move this one away",
      );
    default:
      return failure("failed", `SQLite failed ${detail}; see that the disk works and try again`);
  }
}
