import { PromptfoldError } from "@promptfold/contract";

/** A check that was called wrongly (`check-usage`): an option that does not exist, or a value that it may not have. */
export class CheckUsageError extends PromptfoldError {
  constructor(message: string, options?: { cause?: unknown }) {
    super("check-usage", message, options);
  }

  /** Whether a value is this error, also when it comes from another copy of the package. */
  static override isInstance(value: unknown): value is CheckUsageError {
    return PromptfoldError.isInstance(value, "check-usage");
  }
}

/** A path that cannot be checked (`check-path`): not there, not readable, or a folder without prompts. */
export class CheckPathError extends PromptfoldError {
  readonly path: string;

  constructor(path: string, reason: string, options?: { cause?: unknown }) {
    super("check-path", `${path}: ${reason}`, options);
    this.path = path;
  }

  /** Whether a value is this error, also when it comes from another copy of the package. */
  static override isInstance(value: unknown): value is CheckPathError {
    return PromptfoldError.isInstance(value, "check-path");
  }
}
