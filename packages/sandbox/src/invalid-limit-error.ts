import { PromptfoldError } from "@promptfold/contract";

/** A limit for scripts is not a number in its range. */
export class InvalidLimitError extends PromptfoldError {
  static override readonly code: string = "invalid-limit";

  constructor(name: string, given: unknown, least: number, most: number) {
    super(`the limit ${name} is ${String(given)}; give a number from ${least} to ${most}`);
  }
}
