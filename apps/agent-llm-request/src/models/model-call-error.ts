import { PromptfoldError } from "@promptfold/contract";

/** A model call failed; the message holds the provider's words, with secrets blotted out. */
export class ModelCallError extends PromptfoldError {
  constructor(reason: string, url: string) {
    super("model-call-failed", `model call to ${new URL(url).host} failed: ${reason}`);
  }
}
