import { PromptfoldError } from "@promptfold/contract";

const REMEDY = "make a host of plain objects that hold functions, plain data and plain objects";

/** The host object holds something that cannot be offered to a script. */
export class InvalidHostError extends PromptfoldError {
  static override readonly code: string = "invalid-host";

  constructor(
    path: string,
    problem: string,
    { remedy = REMEDY, ...options }: { remedy?: string; cause?: unknown } = {},
  ) {
    super(`${path} ${problem}; ${remedy}`, options);
  }
}
