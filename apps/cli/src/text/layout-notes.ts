import { printable } from "@promptfold/contract";
import { findNearTags, formatPlace } from "@promptfold/parser";
import { diagnoseFences } from "@promptfold/templating";
import type { AuthoredLayout } from "../input/lay-out-prompt.ts";

/**
 * A note for frontmatter that is part of the prompt instead, for each fault of its section tags, and for what is nearly a
 * tag: a text for reading shows them as they are.
 */
export function layoutNotes({ text, diagnostics, locate, files }: AuthoredLayout): string[] {
  const fences = files.flatMap((file) =>
    diagnoseFences(file).map(({ message, line, column }) => ({ message, file: file.file, line, column })),
  );
  const near = findNearTags(text).map(({ offset, message }) => ({ ...locate(offset), message }));
  return [...fences, ...diagnostics, ...near].map(({ message, ...place }) =>
    printable(`note: ${formatPlace(place)}: ${message}`),
  );
}
