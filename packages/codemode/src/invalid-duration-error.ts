import { PromptfoldError } from "@promptfold/contract";

const code = "invalid-duration";

/** `formatDuration` was given something that is not a finite number of milliseconds. */
export class InvalidDurationError extends PromptfoldError {
  constructor(given: unknown) {
    super(
      code,
      `A duration must be a finite number of milliseconds, not ${String(given)}. Subtract two valid times.`,
    );
  }

  /** Recognises the error across copies of this package. */
  static override isInstance(value: unknown): value is InvalidDurationError {
    return PromptfoldError.isInstance(value, code);
  }
}
