import { type Origin, PromptfoldError } from "@promptfold/contract";
import { formatPlace, type SectionDiagnostic } from "./diagnostic.ts";

/** A text whose section tags are at fault (`section-syntax`); `diagnostics` holds every fault in file order. */
export class SectionSyntaxError extends PromptfoldError {
  static override readonly code: string = "section-syntax";
  readonly diagnostics: readonly SectionDiagnostic[];

  constructor(diagnostics: readonly SectionDiagnostic[]) {
    super(diagnostics.map((diagnostic) => `${formatPlace(diagnostic)}: ${diagnostic.message}`).join("\n"));
    this.diagnostics = diagnostics;
  }
}

/** A string that may not name a section (`invalid-section-key`). */
export class InvalidSectionKeyError extends PromptfoldError {
  static override readonly code: string = "invalid-section-key";
  readonly key: string;

  constructor(key: string) {
    super(
      `${JSON.stringify(key)} cannot be a section key: use a non-empty string without ", <, > and control characters; "*" is reserved`,
    );
    this.key = key;
  }
}

/** Where a section stands in a batch, and where its text was written. */
export interface BatchPlace {
  readonly index: number;
  readonly origin?: Origin | undefined;
}

function describeBatchPlace({ index, origin }: BatchPlace): string {
  return origin === undefined
    ? `section ${index} (counted from 0)`
    : `the section at ${origin.file}:${origin.line}`;
}

/** A batch in which a key occurs twice (`duplicate-key`): the fold would keep only the last of them. */
export class DuplicateSectionKeyError extends PromptfoldError {
  static override readonly code: string = "duplicate-key";
  readonly key: string;

  /** @param first - the index of each section in the batch, from 0, and where its text was written, if that is known */
  constructor(key: string, first: BatchPlace, second: BatchPlace) {
    super(
      `${describeBatchPlace(first)} and ${describeBatchPlace(second)} both have the key ${JSON.stringify(key)}, and an agent would keep only the last; rename one or join them`,
    );
    this.key = key;
  }
}
