import { PromptfoldError } from "@promptfold/contract";

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
