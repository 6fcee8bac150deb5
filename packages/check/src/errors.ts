import { PromptfoldError } from "@promptfold/contract";
import { UnreadableFileError } from "@promptfold/templating/node";

/** A check that was called wrongly (`check-usage`): an option that does not exist, or a value that it may not have. */
export class CheckUsageError extends PromptfoldError {
  static override readonly code: string = "check-usage";
}

/** A path that cannot be checked (`check-path`): not there, not readable, or a folder without prompts. */
export class CheckPathError extends PromptfoldError {
  static override readonly code: string = "check-path";
  readonly path: string;

  constructor(path: string, reason: string, options?: { cause?: unknown }) {
    super(`${path}: ${reason}`, options);
    this.path = path;
  }
}

/** What a reading of a folder gives. @throws CheckPathError when the folder cannot be read */
export function readingFolder<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!UnreadableFileError.isInstance(error)) throw error;
    throw new CheckPathError(error.path, error.reason, { cause: error.cause });
  }
}
