import { PromptfoldError } from "@promptfold/contract";
import type { ModelUsage } from "../models/model.ts";

/**
 * History was not replaced by a summary, or that gains too little. The conversation goes on with the history that it
 * has, and later requests bring another call.
 */
export class CompactionError extends PromptfoldError {
  static override readonly code: string = "compaction-failed";
  /** Offset of the request that the summary was to be made of, or that shows the trouble. */
  readonly requestOffset: number;
  /** What a call that came to nothing cost, where the provider said so: no event records it. */
  readonly usage: ModelUsage | undefined;

  constructor(
    message: string,
    { requestOffset, usage }: { requestOffset: number; usage?: ModelUsage | undefined },
  ) {
    super(message);
    this.requestOffset = requestOffset;
    this.usage = usage;
  }
}
