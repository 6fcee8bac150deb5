import {
  checkMetadata,
  createFieldLocator,
  createNameHints,
  diagnoseFences,
  duplicateMembers,
  explainDuplicate,
  faultPath,
  type FrontmatterBlock,
  METADATA_FIELDS,
  type PromptFile,
} from "@promptfold/templating";
import type { CheckRun } from "./check-run.ts";

/** Checks a file's frontmatter: its fences are exact, it is closed, and its metadata of the types that have a meaning. */
export function checkFrontmatter(run: CheckRun, prompt: PromptFile): void {
  const { file, metadata } = prompt;
  for (const diagnostic of diagnoseFences(prompt)) {
    const severity = diagnostic.code === "near-frontmatter" ? "warning" : "error";
    run.report({ severity, file, ...diagnostic });
  }
  if (prompt.frontmatter?.language === "json") checkDuplicates(run, prompt, prompt.frontmatter);
  const locateField = createFieldLocator(prompt);
  for (const issue of checkMetadata(metadata)) {
    run.report({
      code: "metadata-type",
      severity: "error",
      message: `${issue.path.join(".")} ${issue.message}`,
      file,
      ...locateField(faultPath(issue)),
    });
  }
  const nearest = createNameHints(() => METADATA_FIELDS);
  for (const field of Object.keys(metadata)) {
    if (METADATA_FIELDS.includes(field)) continue;
    const near = nearest(field);
    if (near === undefined) continue;
    run.report({
      code: "unknown-metadata",
      severity: "warning",
      message: `${field} has no meaning here; did you mean ${near}?`,
      file,
      ...locateField(field),
    });
  }
}

/** YAML refuses a field that occurs twice; JSON keeps the last and says nothing. */
function checkDuplicates(run: CheckRun, prompt: PromptFile, block: FrontmatterBlock): void {
  for (const { name, offset } of duplicateMembers(prompt.text.slice(block.start, block.end))) {
    const { line, column } = prompt.locate(block.start + offset);
    run.report({
      code: "duplicate-metadata",
      severity: "error",
      message: explainDuplicate(name),
      file: prompt.file,
      line,
      column,
    });
  }
}
