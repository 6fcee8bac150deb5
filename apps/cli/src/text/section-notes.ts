import { findNearTags, formatPlace } from "@promptfold/parser";
import {
  type Bindings,
  bindVariables,
  expandTemplates,
  layOutPieces,
  type PromptFile,
} from "@promptfold/templating";

/** A note for each fault of a prompt's section tags, and for what is nearly one: a text for reading shows them as they are. */
export function sectionNotes(file: PromptFile, bindings: Bindings): string[] {
  const variables = bindVariables(file, bindings);
  const isBound = (name: string): boolean => variables.get(name) !== undefined;
  const { text, diagnostics, locate } = layOutPieces(expandTemplates(file, bindings.templates, isBound));
  const near = findNearTags(text).map(({ offset, message }) => ({ ...locate(offset), message }));
  return [...diagnostics, ...near].map(
    ({ message, ...place }) => `note: ${formatPlace({ file: file.file, ...place })}: ${message}`,
  );
}
