/** Registered, so that every copy of this package reads under it what another copy wrote. */
const CLASS_CODES: symbol = Symbol.for("promptfold.error");

/** What a typed error may carry besides its message. */
export interface PromptfoldErrorOptions {
  readonly cause?: unknown;
  /** A code that says more than the class's own, for a class whose errors have several. */
  readonly code?: string | undefined;
}

/**
 * Base of every typed Promptfold error. The message says what happened, where, and what to do. A class that extends it
 * gives itself a `code` that no other class has, and with that its `isInstance` is right:
 *
 * ```ts
 * class RainError extends PromptfoldError {
 *   static override readonly code: string = "rain";
 * }
 * ```
 */
export abstract class PromptfoldError extends Error {
  /** The class's own code; stable. */
  static readonly code: string = "promptfold";
  /** The class's code, or one that says more; stable. */
  readonly code: string;

  constructor(message: string, options?: PromptfoldErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = options?.code ?? new.target.code;
    Object.defineProperty(this, CLASS_CODES, { value: classCodes(new.target) });
  }

  /**
   * Whether a value is an error of this class or of one that extends it. Errors are known by the codes of their
   * classes, so it also works across two copies of a package.
   */
  static isInstance<T extends PromptfoldError>(
    this: { readonly code: string; readonly prototype: T },
    value: unknown,
  ): value is T {
    const codes: unknown =
      typeof value === "object" && value !== null ? Reflect.get(value, CLASS_CODES) : undefined;
    return Array.isArray(codes) && codes.includes(this.code);
  }
}

/** The codes of a class and of those that it extends, up to the base. */
function classCodes(target: typeof PromptfoldError): readonly string[] {
  const codes: string[] = [];
  for (
    let each = target;
    typeof each.code === "string";
    each = Object.getPrototypeOf(each) as typeof PromptfoldError
  ) {
    codes.push(each.code);
  }
  return codes;
}
