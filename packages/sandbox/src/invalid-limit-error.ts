import { PromptfoldError } from "@promptfold/contract";

const code = "invalid-limit";

/** A limit for scripts is not a number in its range. */
export class InvalidLimitError extends PromptfoldError {
  constructor(name: string, given: unknown, least: number, most: number) {
    super(code, `The limit ${name} must be a number from ${least} to ${most}, not ${String(given)}.`);
  }

  /** Recognises the error across copies of this package. */
  static override isInstance(value: unknown): value is InvalidLimitError {
    return PromptfoldError.isInstance(value, code);
  }
}
