import { PromptfoldError } from "@promptfold/contract";

/** A model call failed; the message holds the provider's words, with secrets blotted out. */
export class ModelCallError extends PromptfoldError {
  static override readonly code: string = "model-call-failed";

  constructor(reason: string, url: string) {
    super(`model call to ${new URL(url).host} failed: ${reason}`);
  }
}
