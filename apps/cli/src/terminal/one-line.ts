import { printable } from "@promptfold/contract";

/** Printable text on one line, cut to a number of characters. */
export function oneLine(text: string, limit: number): string {
  const start = text.slice(0, limit * 4);
  const line = printable(start.replace(/\s+/g, " ").trim());
  return start.length < text.length ? cutLine(`${line} `.padEnd(limit + 1), limit) : cutLine(line, limit);
}

/** A line of at most so many characters; where something was left off it ends in `…`. */
export function cutLine(line: string, limit: number): string {
  return line.length > limit ? `${wholeCharacters(line, limit - 1).trimEnd()}…` : line;
}

/** The beginning of a text, without half a character at its end. */
function wholeCharacters(text: string, length: number): string {
  const isHalved = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, isHalved ? length - 1 : length);
}
