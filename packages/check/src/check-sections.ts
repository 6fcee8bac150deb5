import { findNearTags } from "@promptfold/parser";
import {
  findDuplicateKeys,
  listVariables,
  openingTagLength,
  type PromptFile,
  type PromptLayout,
} from "@promptfold/templating";
import { blankValues } from "./blank-values.ts";
import type { CheckRun } from "./check-run.ts";
import type { FolderTemplates } from "./read-folder-templates.ts";

/** What a check of sections needs to know beside the prompt. */
export interface SectionSurroundings {
  readonly templates: FolderTemplates | undefined;
  /** Whether a variable is known to be blank in this prompt. */
  readonly isBlank: (name: string) => boolean;
}

/** Checks an expanded prompt's tags: the grammar, what is nearly a tag, keys that occur twice, placeholders in keys, and blank sections. */
export function checkSections(
  run: CheckRun,
  prompt: PromptFile,
  layout: PromptLayout,
  { templates, isBlank }: SectionSurroundings,
): void {
  for (const { code, message, line, column, file = prompt.file } of layout.diagnostics) {
    run.report({ code, severity: "error", message, file, line, column });
  }
  for (const { offset, end, message } of findNearTags(layout.text)) {
    const place = layout.locate(offset);
    const endColumn = place.column + end - offset;
    run.report({ code: "near-tag", severity: "warning", message, ...place, endColumn });
  }
  if (layout.spans.every((span) => span.key === undefined)) return;
  for (const { file, line, column, endColumn, message } of findDuplicateKeys(layout)) {
    const end = endColumn === undefined ? {} : { endColumn };
    run.report({ code: "duplicate-key", severity: "error", message, file, line, column, ...end });
  }
  // A template that cannot be read may be what the section holds.
  const mayBeBlank = templates !== undefined && templates.unreadable.size > 0;
  for (const span of layout.spans) {
    const { key, tagStart, start, end } = span;
    if (key === undefined) continue;
    const { file, line, column } = layout.locate(tagStart);
    const place = { file, line, column, endColumn: column + openingTagLength(key) };
    const blank = start === end ? [] : blankValues(layout.tokensOf(span), isBlank);
    if (blank !== undefined && !mayBeBlank) {
      const why = blank.length === 0 ? "" : `, since ${tellBlank(blank)}`;
      const message = `section "${key}" is blank${why}; write its text or remove it`;
      run.report({ code: "blank-section", severity: "warning", message, ...place });
    }
    if (listVariables(key).length > 0) {
      const message = `section "${key}" is named with a placeholder, and values are never put into keys; write the name out`;
      run.report({ code: "placeholder-in-key", severity: "warning", message, ...place });
    }
  }
}

/** What is blank, for a sentence. */
export function tellBlank(names: readonly string[]): string {
  const all = names.map((name) => `$${name}`).join(" and ");
  return `${all} ${names.length === 1 ? "is" : "are"} empty in the identity`;
}
