import { findNearTags } from "@promptfold/parser";
import { listVariables, type PromptFile, type PromptLayout } from "@promptfold/templating";
import type { CheckRun } from "./check-run.ts";
import type { FolderTemplates } from "./read-folder-templates.ts";

/** Checks an expanded prompt's tags: the grammar, what is nearly a tag, keys that occur twice, placeholders in keys, and blank sections. */
export function checkSections(
  run: CheckRun,
  prompt: PromptFile,
  layout: PromptLayout,
  templates: FolderTemplates | undefined,
): void {
  for (const { code, message, line, column, file = prompt.file } of layout.diagnostics) {
    run.report({ code, severity: "error", message, file, line, column });
  }
  for (const { offset, end, message } of findNearTags(layout.text)) {
    const place = layout.locate(offset);
    const endColumn = place.column + end - offset;
    run.report({ code: "near-tag", severity: "warning", message, ...place, endColumn });
  }
  const sectionized = layout.spans.some((span) => span.key !== undefined);
  if (!sectionized) return;
  // A template that cannot be read may be what the section holds.
  const mayBeBlank = templates !== undefined && templates.unreadable.size > 0;
  const first = new Map<string | undefined, number>();
  for (const { key, tagStart, start, end } of layout.spans) {
    // With a fault in the tags, what counts as outside them is a guess.
    if (key === undefined && layout.diagnostics.length > 0) continue;
    const { file, line, column } = layout.locate(tagStart);
    const place =
      key === undefined
        ? { file, line, column }
        : { file, line, column, endColumn: column + key.length + 16 };
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, tagStart);
    else {
      const there = layout.locate(earlier);
      const where = there.file === file ? `line ${there.line}` : `${there.file}:${there.line}`;
      const message =
        key === undefined
          ? `text outside sections stands here and at ${where}, and both would get one key; put it into sections`
          : `section "${key}" is already defined at ${where}, and an agent would keep only the last; rename one or join them`;
      run.report({ code: "duplicate-key", severity: "error", message, ...place });
    }
    if (key === undefined) continue;
    if (start === end && !mayBeBlank) {
      const message = `section "${key}" is blank; write its text or remove it`;
      run.report({ code: "blank-section", severity: "warning", message, ...place });
    }
    if (listVariables(key).length > 0) {
      const message = `section "${key}" is named with a placeholder, and values are never put into keys; write the name out`;
      run.report({ code: "placeholder-in-key", severity: "warning", message, ...place });
    }
  }
}
