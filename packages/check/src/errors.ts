import { PromptfoldError } from "@promptfold/contract";

/** A check that was called wrongly (`check-usage`): a path that is not there, or a folder without prompts. */
export class CheckUsageError extends PromptfoldError {
  constructor(message: string, options?: { cause?: unknown }) {
    super("check-usage", message, options);
  }

  /** Whether a value is this error, also when it comes from another copy of the package. */
  static override isInstance(value: unknown): value is CheckUsageError {
    return PromptfoldError.isInstance(value, "check-usage");
  }
}
