import { PromptfoldError } from "@promptfold/contract";

/** The call is at fault: a missing or contradictory option (`usage`). The command exits with 2. */
export class UsageError extends PromptfoldError {
  static override readonly code: string = "usage";
}

/** What the command was given to work on is at fault (`input`): a file, a journal, a stream. The command exits with 1. */
export class InputError extends PromptfoldError {
  static override readonly code: string = "input";
}
