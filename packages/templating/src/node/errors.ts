import { PromptfoldError } from "@promptfold/contract";
import { formatPlace, type Position } from "@promptfold/parser";

/** A prompt file that is not there (`prompt-not-found`). `path` is where it was looked for. */
export class PromptNotFoundError extends PromptfoldError {
  static override readonly code: string = "prompt-not-found";
  readonly path: string;

  constructor(path: string, options?: { cause?: unknown }) {
    super(`${path}: there is no such prompt file; check the name and the folder`, options);
    this.path = path;
  }
}

/** A prompt name that is empty, leaves its folder, or is no string (`invalid-prompt-name`). */
export class InvalidPromptNameError extends PromptfoldError {
  static override readonly code: string = "invalid-prompt-name";

  constructor(name: unknown, reason: string) {
    super(
      `prompt name ${typeof name === "string" ? JSON.stringify(name) : `of type ${typeof name}`} ${reason}; give a name inside the folder, with or without .md`,
    );
  }
}

/**
 * A file or folder that cannot be read or is not what its place promises: not there, not readable, not UTF-8, or not the
 * JSON it should be (`unreadable-file`).
 */
export class UnreadableFileError extends PromptfoldError {
  static override readonly code: string = "unreadable-file";
  readonly path: string;
  /** What is wrong and what to do, without the place. */
  readonly reason: string;

  constructor(path: string, reason: string, options?: { cause?: unknown; place?: Position | undefined }) {
    const place = options?.place === undefined ? path : formatPlace({ file: path, ...options.place });
    super(`${place}: ${reason}`, options);
    this.path = path;
    this.reason = reason;
  }
}
