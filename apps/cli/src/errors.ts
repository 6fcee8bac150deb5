import { PromptfoldError } from "@promptfold/contract";

/** The call is at fault: a missing or contradictory option (`usage`). The command exits with 2. */
export class UsageError extends PromptfoldError {
  constructor(message: string) {
    super("usage", message);
  }

  /** Whether a value is this error, also when it comes from another copy of the package. */
  static override isInstance(value: unknown): value is UsageError {
    return PromptfoldError.isInstance(value, "usage");
  }
}

/** What the command was given to work on is at fault (`input`): a file, a journal, a stream. The command exits with 1. */
export class InputError extends PromptfoldError {
  constructor(message: string, options?: { cause?: unknown }) {
    super("input", message, options);
  }

  /** Whether a value is this error, also when it comes from another copy of the package. */
  static override isInstance(value: unknown): value is InputError {
    return PromptfoldError.isInstance(value, "input");
  }
}
