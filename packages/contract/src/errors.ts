/**
 * Base of every typed Promptfold error. `code` is stable; the message says what happened, where, and what to do.
 * `isInstance` recognises errors by a registered symbol, so it also works across two copies of a package.
 */
export class PromptfoldError extends Error {
  static readonly marker: symbol = Symbol.for("promptfold.error");
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    Object.defineProperty(this, PromptfoldError.marker, { value: true });
  }

  /** Whether a value is a Promptfold error, and, when a code is given, one with that code. */
  static isInstance(value: unknown, code?: string): value is PromptfoldError {
    return (
      typeof value === "object" &&
      value !== null &&
      PromptfoldError.marker in value &&
      (code === undefined || (value as PromptfoldError).code === code)
    );
  }
}
