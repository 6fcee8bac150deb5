import { PromptfoldError } from "@promptfold/contract";
import type { MetadataIssue } from "./explain-metadata.ts";
import { formatPlace, type Place, type Position } from "@promptfold/parser";

/** Frontmatter that cannot be read (`invalid-frontmatter`). Line and column count from 1 in the author's file. */
export class FrontmatterError extends PromptfoldError {
  static override readonly code: string = "invalid-frontmatter";
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** What is wrong, without the place. */
  readonly reason: string;

  constructor(file: string, { line, column }: Position, reason: string, options?: { cause?: unknown }) {
    super(`${formatPlace({ file, line, column })}: ${reason}`, options);
    this.file = file;
    this.line = line;
    this.column = column;
    this.reason = reason;
  }
}

/** Metadata with a meaning that has the wrong type (`invalid-metadata`). */
export class InvalidMetadataError extends PromptfoldError {
  static override readonly code: string = "invalid-metadata";
  readonly file: string;
  /** The field that has a meaning, also when the fault lies inside it. */
  readonly field: string;

  constructor(file: string, { path, message }: MetadataIssue, place?: Position) {
    const where = place === undefined ? file : formatPlace({ file, line: place.line, column: place.column });
    super(`${where}: the frontmatter's ${path.join(".")} ${message}`);
    this.file = file;
    this.field = String(path[0]);
  }
}

/** Templates that use each other in a circle (`template-cycle`). `cycle` starts and ends with the same name. */
export class TemplateCycleError extends PromptfoldError {
  static override readonly code: string = "template-cycle";
  readonly cycle: readonly string[];
  /** Where the circle closes. */
  readonly place: Place;

  constructor(cycle: readonly string[], place: Place) {
    super(
      `${formatPlace(place)}: templates use each other in a circle: ${cycle.map((name) => `$${name}`).join(" → ")}; break it by removing one use`,
    );
    this.cycle = cycle;
    this.place = place;
  }
}

/** A prompt that grows beyond the cap when its templates and values are put in (`prompt-too-large`). */
export class PromptTooLargeError extends PromptfoldError {
  static override readonly code: string = "prompt-too-large";

  constructor(file: string, reason: string) {
    super(`${file}: ${reason}; use fewer or smaller templates and values`);
  }
}

/** What is wrong with one variable. `field` is the way to a field of the identity that is at fault. */
export interface VariableProblem {
  readonly name: string;
  readonly code: "unusable-value" | "missing" | "unknown" | "ill-typed" | "ambiguous";
  readonly message: string;
  readonly field?: readonly string[];
}

/** Variables at fault (`invalid-variable`): every one of them, in `problems`. */
export class InvalidVariableError extends PromptfoldError {
  static override readonly code: string = "invalid-variable";
  readonly problems: readonly VariableProblem[];

  constructor(problems: readonly VariableProblem[], file?: string) {
    const place = file === undefined ? "" : `${file}: `;
    super(problems.map(({ message }) => `${place}${message}`).join("\n"));
    this.problems = problems;
  }
}

/** An argument of another type than a function takes (`invalid-argument`), as a caller without a compiler may pass it. */
export class ArgumentTypeError extends PromptfoldError {
  static override readonly code: string = "invalid-argument";
}
