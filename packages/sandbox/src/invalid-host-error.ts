import { PromptfoldError } from "@promptfold/contract";

const code = "invalid-host";

/** The host object holds something that cannot be offered to a script. */
export class InvalidHostError extends PromptfoldError {
  constructor(path: string, problem: string, options?: { cause?: unknown }) {
    super(
      code,
      `${path} ${problem}. A host is made of plain objects that hold functions, plain data and plain objects.`,
      options,
    );
  }

  /** Recognises the error across copies of this package. */
  static override isInstance(value: unknown): value is InvalidHostError {
    return PromptfoldError.isInstance(value, code);
  }
}
