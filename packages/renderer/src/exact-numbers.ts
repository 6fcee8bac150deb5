/**
 * Numbers that JavaScript cannot hold: `JSON.parse` rounds long ones, as identifiers in a call's arguments are, and makes
 * infinity of large ones, so that two of them may read alike. Each is put in place of itself as a string, and written as it
 * stood when the text of what it is in is made.
 */
const mark = "\u0000number ";
const mayBeInexact = /\d{16}|[eE]\+?\d{3}/;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const marked = /"\\u0000number (-?[\d.eE+-]+)"/g;

/** A JSON text with strings in place of the numbers that parsing would not keep; linear in its length. */
export function holdNumbers(json: string): string {
  if (!mayBeInexact.test(json)) return json;
  const pieces: string[] = [];
  for (let at = 0; at < json.length;) {
    const quote = json.indexOf('"', at);
    const start = quote === -1 ? json.length : quote;
    pieces.push(json.slice(at, start).replace(number, holdNumber));
    const end = quote === -1 ? json.length : endOfString(json, quote + 1);
    pieces.push(json.slice(start, end));
    at = end;
  }
  return pieces.join("");
}

/** A text made of what was parsed, with the numbers as they stood. */
export function restoreNumbers(text: string): string {
  return text.includes(String.raw`"\u0000number `) ? text.replace(marked, "$1") : text;
}

function holdNumber(text: string): string {
  return mayBeInexact.test(text) && String(Number(text)) !== text ? JSON.stringify(mark + text) : text;
}

/** The place after the quote that ends a string. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (json.charAt(quote - 1 - slashes) === "\\" && quote - 1 - slashes >= start) slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
