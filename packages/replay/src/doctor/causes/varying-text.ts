import { withoutBilling } from "../bodies/billing-line.ts";
import { clockPatterns, wordPatterns } from "./clock-patterns.ts";

/** How far around a difference its cause is looked for, in UTF-16 units. */
const WINDOW = 48;

const idPatterns: readonly RegExp[] = [
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi,
  /\b[0-9a-f]{8,}\b/gi,
  // a short name of a commit; a temporary folder
  /\b(?=[0-9a-f]{0,6}\d)(?=[0-9a-f]{0,6}[a-f])[0-9a-f]{7}\b/g,
  /\btmp[\w.-]{6,}/g,
  /\b[a-z]{2,12}[_-][A-Za-z0-9]{10,}\b/g,
  /\b(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{16,}\b/g,
];

/**
 * What stands in both texts where they part: a date or a time, an identifier, or neither. Looks only at the
 * neighbourhood of the place, so it costs the same in any text.
 */
export function changesAt(previous: string, next: string, character: number): "clock" | "id" | undefined {
  const start = Math.max(0, character - WINDOW);
  const [a, b] = [previous, next].map((text) => text.slice(start, character + WINDOW));
  const at = character - start;
  const both = (patterns: readonly RegExp[]): boolean =>
    covers(patterns, a ?? "", at) && covers(patterns, b ?? "", at);
  if (both(clockPatterns)) return "clock";
  return both(idPatterns) ? "id" : undefined;
}

/**
 * A text with every date, time and identifier replaced by one mark, so that two of them are equal when nothing else
 * differs. Linear in its length.
 */
export function withoutVarying(text: string): string {
  const hasDigit = /\d/.test(text);
  let plain = withoutBilling(text);
  for (const pattern of hasDigit ? clockPatterns : wordPatterns) plain = plain.replace(pattern, "#");
  if (hasDigit) plain = plain.replace(/[\w-]{8,}/g, (word) => (/\d/.test(word) ? "#" : word));
  return plain;
}

function covers(patterns: readonly RegExp[], text: string, at: number): boolean {
  return patterns.some((pattern) =>
    [...text.matchAll(pattern)].some(({ index, 0: match }) => index <= at && at <= index + match.length),
  );
}
