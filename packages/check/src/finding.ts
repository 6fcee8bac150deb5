/** Errors make a check fail; warnings only in a strict one. */
export type Severity = "error" | "warning";

/** What a check can find. Codes are stable. */
export type FindingCode =
  | "unreadable-file"
  | "null-character"
  | "blank-prompt"
  | "invalid-frontmatter"
  | "unclosed-frontmatter"
  | "near-frontmatter"
  | "duplicate-metadata"
  | "metadata-type"
  | "unknown-metadata"
  | "invalid-config"
  | "unclosed"
  | "nested"
  | "stray-close"
  | "invalid-tag"
  | "near-tag"
  | "duplicate-key"
  | "placeholder-in-key"
  | "blank-section"
  | "template-cycle"
  | "prompt-too-large"
  | "undefined-variable"
  | "malformed-placeholder"
  | "filled-input"
  | "unused-input"
  | "unused-template"
  | "hidden-template"
  | "unusable-name"
  | "over-budget";

/** One finding in a file. Line and columns count from 1, columns in UTF-16 units; `endColumn` is exclusive. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** What is wrong and what to do. */
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endColumn?: number;
}

/** What a check found. */
export interface CheckResult {
  /** The files that were read, in order: prompts, templates and configuration. */
  readonly files: readonly string[];
  /** By file, line and column. */
  readonly findings: readonly Finding[];
  /** The text of every file that could be read, for code frames. */
  readonly sources: ReadonlyMap<string, string>;
  /** What a person may want to know and is no fault of a prompt, one line each. */
  readonly notes: readonly string[];
}
