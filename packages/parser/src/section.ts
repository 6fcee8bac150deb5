import type { Origin } from "@promptfold/contract";

/** A named piece of a prompt. `origin` says where its text was written, when the caller knows. */
export interface Section {
  readonly key: string;
  /** Canonical when it comes from the parser: LF line ends, no blank line first, no white space last. */
  readonly content: string;
  readonly origin?: Origin | undefined;
}
