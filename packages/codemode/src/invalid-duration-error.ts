import { PromptfoldError } from "@promptfold/contract";

/** `formatDuration` was given something that is not a finite number of milliseconds. */
export class InvalidDurationError extends PromptfoldError {
  static override readonly code: string = "invalid-duration";

  constructor(given: unknown) {
    super(
      `A duration must be a finite number of milliseconds, not ${String(given)}. Subtract two valid times.`,
    );
  }
}
