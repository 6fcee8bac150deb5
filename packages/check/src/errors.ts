import { PromptfoldError } from "@promptfold/contract";

/** A check that was called wrongly (`check-usage`): an option that does not exist, or a value that it may not have. */
export class CheckUsageError extends PromptfoldError {
  static override readonly code: string = "check-usage";
}

/** A path that cannot be checked (`check-path`): not there, not readable, or a folder without prompts. */
export class CheckPathError extends PromptfoldError {
  static override readonly code: string = "check-path";
  readonly path: string;

  constructor(path: string, reason: string, options?: { cause?: unknown }) {
    super(`${path}: ${reason}`, options);
    this.path = path;
  }
}
