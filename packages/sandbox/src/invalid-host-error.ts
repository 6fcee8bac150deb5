import { PromptfoldError } from "@promptfold/contract";

/** The host object holds something that cannot be offered to a script. */
export class InvalidHostError extends PromptfoldError {
  static override readonly code: string = "invalid-host";

  constructor(path: string, problem: string, options?: { cause?: unknown }) {
    super(
      `${path} ${problem}. A host is made of plain objects that hold functions, plain data and plain objects.`,
      options,
    );
  }
}
