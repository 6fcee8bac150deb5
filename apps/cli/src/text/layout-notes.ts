import { findNearTags, formatPlace } from "@promptfold/parser";
import { diagnoseFences, findMalformedPlaceholders, type VariableHints } from "@promptfold/templating";
import type { AuthoredLayout } from "../input/lay-out-prompt.ts";
import { formatNote } from "../terminal/say-note.ts";

/**
 * A note for frontmatter that is part of the prompt instead, for each fault of its section tags, and for what is nearly a
 * tag or a placeholder: a text for reading shows them as they are.
 */
export function layoutNotes(
  { text, diagnostics, locate, files, pieces }: AuthoredLayout,
  { hintInBraces }: Pick<VariableHints, "hintInBraces">,
): string[] {
  const fences = files.flatMap((file) =>
    diagnoseFences(file).map(({ message, line, column }) => ({ message, file: file.file, line, column })),
  );
  const near = findNearTags(text).map(({ offset, message }) => ({ ...locate(offset), message }));
  const malformed = findMalformedPlaceholders(pieces, (inside) => hintInBraces(inside)?.remedy);
  const notes = [...fences, ...diagnostics, ...near, ...malformed].map(({ message, ...place }) =>
    formatNote(formatPlace(place), message),
  );
  // A template that is used twice is at fault once.
  return [...new Set(notes)];
}
