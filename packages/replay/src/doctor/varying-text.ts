/** How far around a difference its cause is looked for, in UTF-16 units. */
const WINDOW = 48;

const months =
  "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?";
const days =
  "Mon(?:day)?|Tue(?:s(?:day)?)?|Wed(?:nesday)?|Thu(?:rs(?:day)?)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?";

const weekday = new RegExp(`\\b(?:${days})\\b`, "g");

const clockPatterns: readonly RegExp[] = [
  /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?)?(?: ?Z| ?[+-]\d{2}:?\d{2})?/g,
  /\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?: ?[AaPp][Mm])?/g,
  /\d{1,2}[/.]\d{1,2}[/.]\d{2,4}/g,
  new RegExp(`\\b(?:(?:${days}),? +)?(?:${months})\\.? +\\d{1,2}(?:st|nd|rd|th)?(?:,? +\\d{4})?`, "g"),
  new RegExp(`\\b(?:(?:${days}),? +)?\\d{1,2}\\.? +(?:${months})\\.?(?:,? +\\d{4})?`, "g"),
  weekday,
  /\b1[5-9]\d{8}(?:\d{3}|\d{6})?\b/g,
  /\d{4}年\d{1,2}月\d{1,2}日/g,
];

const idPatterns: readonly RegExp[] = [
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi,
  /\b[0-9a-f]{8,}\b/gi,
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
  let plain = text;
  // Most texts have no digit, and then nothing but a weekday can vary in them.
  if (/\d/.test(text)) {
    for (const pattern of clockPatterns) plain = plain.replace(pattern, "#");
    plain = plain.replace(/[\w-]{8,}/g, (word) => (/\d/.test(word) ? "#" : word));
  } else plain = plain.replace(weekday, "#");
  return plain;
}

function covers(patterns: readonly RegExp[], text: string, at: number): boolean {
  return patterns.some((pattern) =>
    [...text.matchAll(pattern)].some(({ index, 0: match }) => index <= at && at <= index + match.length),
  );
}
