/**
 * Text that is safe to show on a terminal or in a log: what a message holds must not move the cursor, change colours or turn
 * the reading direction. Line feeds and tabs stay; every other control character, line end and mark of direction is shown as
 * its code, such as `\u001b`.
 */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
