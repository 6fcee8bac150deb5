import { PromptfoldError, type PromptfoldErrorOptions } from "@promptfold/contract";

/** No event stands at the offset that was asked for. */
export class OffsetNotFoundError extends PromptfoldError {
  static override readonly code: string = "offset-not-found";
  readonly offset: number;

  constructor(offset: number, newest: number) {
    const remedy =
      newest === 0
        ? "the stream is empty"
        : `the newest event read has offset ${newest}; name one that exists`;
    super(`no event at offset ${offset}: ${remedy}`);
    this.offset = offset;
  }
}

/** An event says of no call that could be rebuilt: it is no summary in force, or one that was not made by such a call. */
export class NoRecordedCallError extends PromptfoldError {
  static override readonly code: string = "no-recorded-call";
  readonly offset: number;

  constructor(offset: number, options?: PromptfoldErrorOptions) {
    super(
      `the event at offset ${offset} is no summary in force that records its call; ` +
        "name an agents/context-added from inside that took effect and whose compaction has a requestOffset and an instruction",
      options,
    );
    this.offset = offset;
  }
}
