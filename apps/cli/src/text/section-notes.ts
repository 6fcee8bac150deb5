import { findNearTags, formatPlace } from "@promptfold/parser";
import type { PromptLayout } from "@promptfold/templating";

/** A note for each fault of a prompt's section tags, and for what is nearly one: a text for reading shows them as they are. */
export function sectionNotes({ text, diagnostics, locate }: PromptLayout): string[] {
  const near = findNearTags(text).map(({ offset, message }) => ({ ...locate(offset), message }));
  return [...diagnostics, ...near].map(({ message, ...place }) => `note: ${formatPlace(place)}: ${message}`);
}
