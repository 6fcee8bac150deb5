import { lastAtOrBefore } from "./last-at-or-before.ts";

/** A place in a text: line and column count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns a function that turns offsets of `text` (from 0, UTF-16) into positions. Lines are counted on the first
 * call, so a text without diagnostics never pays for them.
 */
export function createLocator(text: string): (offset: number) => Position {
  let lineStarts: number[] | undefined;
  return (offset) => {
    lineStarts ??= findLineStarts(text);
    const index = lastAtOrBefore(lineStarts, offset);
    return { line: index + 1, column: offset - (lineStarts[index] ?? 0) + 1 };
  };
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
