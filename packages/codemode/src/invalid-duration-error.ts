import { PromptfoldError } from "@promptfold/contract";

/** `formatDuration` was given something that is not a finite number of milliseconds. */
export class InvalidDurationError extends PromptfoldError {
  static override readonly code: string = "invalid-duration";

  constructor(given: unknown) {
    super(`the duration ${String(given)} is not a finite number of milliseconds; subtract two valid times`);
  }
}
