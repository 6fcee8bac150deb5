import { PromptfoldError } from "@promptfold/contract";

/** An event that cannot be stored: a payload that JSON does not carry exactly, a bad type or a bad key. Nothing was written. */
export class InvalidEventError extends PromptfoldError {
  static override readonly code: string = "invalid-event";
  /** Which event of the batch it is, from 0; `undefined` when the batch itself is at fault. */
  readonly index: number | undefined;

  constructor(message: string, options?: { cause?: unknown; index?: number | undefined }) {
    super(message, options);
    this.index = options?.index;
  }
}

/** An event or a batch above the limits in `limits`. Nothing was written. */
export class EventTooLargeError extends PromptfoldError {
  static override readonly code: string = "event-too-large";
  /** Which event of the batch it is, from 0; `undefined` when the batch as a whole is too large. */
  readonly index: number | undefined;

  constructor(message: string, options?: { index?: number | undefined }) {
    super(message);
    this.index = options?.index;
  }
}

/** A stream, processor or version name that a journal cannot hold. */
export class InvalidNameError extends PromptfoldError {
  static override readonly code: string = "invalid-name";
}

/** An option out of its range, such as a negative offset. */
export class InvalidOptionError extends PromptfoldError {
  static override readonly code: string = "invalid-option";
}

/** A journal URL that no store understands. */
export class InvalidJournalUrlError extends PromptfoldError {
  static override readonly code: string = "invalid-journal-url";
}

/** An idempotency key that the stream (or the batch itself) already holds with another type or payload. Nothing was written. */
export class IdempotencyConflictError extends PromptfoldError {
  static override readonly code: string = "idempotency-conflict";
  readonly stream: string;
  readonly idempotencyKey: string;
  /** Where the event with that key stands; `undefined` when both stood in the refused batch. */
  readonly committedOffset: number | undefined;

  constructor(stream: string, idempotencyKey: string, committedOffset: number | undefined) {
    const [where, remedy] =
      committedOffset === undefined
        ? [`stands twice in one batch for ${stream}, with different events`, "use a key for each fact"]
        : [
            `stands at ${stream}@${committedOffset} already, for another event`,
            "read that event and go on from it, or use a new key for a new fact",
          ];
    super(
      `the idempotency key ${JSON.stringify(idempotencyKey)} ${where}, and nothing was appended; ${remedy}`,
    );
    this.stream = stream;
    this.idempotencyKey = idempotencyKey;
    this.committedOffset = committedOffset;
  }
}

/** The stream's head is not where the caller expected it. Nothing was written. */
export class OffsetConflictError extends PromptfoldError {
  static override readonly code: string = "offset-conflict";
  readonly stream: string;
  readonly expectedOffset: number;
  readonly actualOffset: number;

  constructor(stream: string, expectedOffset: number, actualOffset: number) {
    super(
      `${stream} stands at offset ${actualOffset}, not at ${expectedOffset}, and nothing was appended; ` +
        "read the events in between and decide again",
    );
    this.stream = stream;
    this.expectedOffset = expectedOffset;
    this.actualOffset = actualOffset;
  }
}

/** The lease was released or taken over by another holder. Nothing was written. */
export class LeaseLostError extends PromptfoldError {
  static override readonly code: string = "lease-lost";
  readonly stream: string;
  readonly processor: string;

  constructor(target: { readonly stream: string; readonly processor: string }) {
    super(
      `the lease of ${JSON.stringify(target.processor)} on ${target.stream} is no longer held; ` +
        "stop working on the stream, acquire the lease again and read what happened meanwhile",
    );
    this.stream = target.stream;
    this.processor = target.processor;
  }
}

/** The journal was closed. */
export class JournalClosedError extends PromptfoldError {
  static override readonly code: string = "journal-closed";

  constructor() {
    super("the journal is closed; open it again with openJournal");
  }
}

/** Why a store cannot serve; each is the `code` of a {@link JournalStorageError} after `storage-`. */
export type StorageFailure =
  | "busy"
  | "corrupt"
  | "disk-full"
  | "failed"
  | "missing"
  | "newer-schema"
  | "not-a-journal"
  | "read-only"
  | "unreachable";

/** The store under the journal failed; `reason` says how. When appending failed this way, nothing was written. */
export class JournalStorageError extends PromptfoldError {
  static override readonly code: string = "storage";
  readonly reason: StorageFailure;

  constructor(reason: StorageFailure, message: string, options?: { cause?: unknown }) {
    super(message, { ...options, code: `storage-${reason}` });
    this.reason = reason;
  }
}

/** The error for a journal that is not there, or whose tables are older, when it must not be changed. */
export function missingJournal(place: string): JournalStorageError {
  return new JournalStorageError(
    "missing",
    `${place}: there is no journal, or its tables are those of an older release; check the name: \`promptfold migrate\` ` +
      "creates a journal and brings its tables up to date, and so does opening it without { create: false }",
  );
}

/** The connection broke after an append was sent, or the disk failed while it was committed: the batch landed as a whole, or not at all. */
export class AppendOutcomeUnknownError extends PromptfoldError {
  static override readonly code: string = "append-outcome-unknown";
  readonly stream: string;

  constructor(stream: string, options?: { cause?: unknown }) {
    super(
      `append to ${stream}: the connection or the disk failed while committing, so the whole batch landed or nothing ` +
        "did; append it again with the same idempotency keys, or read the stream to see",
      options,
    );
    this.stream = stream;
  }
}

/** A JSONL file that cannot be imported; `line` counts from 1. */
export class JsonlError extends PromptfoldError {
  static override readonly code: string = "invalid-jsonl";
  readonly line: number;

  constructor(line: number, message: string, options?: { cause?: unknown }) {
    super(`line ${line}: ${message}`, options);
    this.line = line;
  }
}
