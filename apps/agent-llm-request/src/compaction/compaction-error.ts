import { PromptfoldError } from "@promptfold/contract";

/** A call for a summary came to nothing. The history stays as it was, and the next request may bring another call. */
export class CompactionError extends PromptfoldError {
  static override readonly code: string = "compaction-failed";

  constructor(requestOffset: number, reason: string) {
    super(
      `the history through the request @${requestOffset} could not be summarised: ${reason}; the conversation goes on whole`,
    );
  }
}
