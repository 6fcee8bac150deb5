import type { Position } from "./create-locator.ts";
import type { SectionProblem, SectionProblemCode } from "./split-sections.ts";

/** A position, and the file it is in where several are read as one text. */
export interface Place extends Position {
  readonly file?: string | undefined;
}

/**
 * One fault in a text's tags. `line` and `column` count from 1, columns in UTF-16 units. For `nested` and `unclosed`,
 * `key` names the section that was left open and `openedAt` says where.
 */
export interface SectionDiagnostic {
  readonly code: SectionProblemCode;
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly file?: string | undefined;
  readonly key?: string;
  readonly openedAt?: Place;
}

/** Turns a problem at an offset into a diagnostic, with positions from `locate`. */
export function describeProblem(
  problem: SectionProblem,
  locate: (offset: number) => Place,
): SectionDiagnostic {
  const openedAt = problem.openedAt === undefined ? undefined : locate(problem.openedAt);
  return {
    code: problem.code,
    message: explain(problem, openedAt, locate),
    ...locate(problem.offset),
    ...(problem.key === undefined ? {} : { key: problem.key }),
    ...(openedAt === undefined ? {} : { openedAt }),
  };
}

const MENTION = "to mention the tag in text, write &lt;section";

function explain(
  { code, key = "", advice = "correct the tag", misspeltClose }: SectionProblem,
  openedAt: Place | undefined,
  locate: (offset: number) => Place,
): string {
  switch (code) {
    case "unclosed":
      if (misspeltClose !== undefined)
        return `section "${key}" is never closed: ${misspeltClose.raw} at ${formatPlace(locate(misspeltClose.offset))} closes nothing; write </section> there`;
      return `section "${key}" is never closed; add </section> after its text`;
    case "nested": {
      const place = openedAt === undefined ? "" : ` opened at ${formatPlace(openedAt)}`;
      if (misspeltClose !== undefined)
        return `a section tag inside section "${key}"${place}, which ${misspeltClose.raw} at ${formatPlace(locate(misspeltClose.offset))} does not close; write </section> there`;
      return `a section tag inside section "${key}"${place}; close "${key}" with </section> first, or ${MENTION}`;
    }
    case "stray-close":
      return "</section> closes nothing; remove it, or to mention the tag in text, write &lt;/section>";
    case "invalid-tag":
      return `${advice}, or ${MENTION}`;
  }
}

/** `file:line:column`, or `line:column` when no file is known. */
export function formatPlace({ file, line, column }: Place): string {
  return `${file === undefined ? "" : `${file}:`}${line}:${column}`;
}
