/**
 * Numbers that JavaScript cannot hold: `JSON.parse` rounds long ones, as identifiers and times in a call's arguments are,
 * so that two of them may read alike. Each is put in place of itself as a string, and written as it stood when the text
 * of what it is in is made.
 */
const mark = "\u0000number ";
const mayBeInexact = /\d[\d.]{15}|[eE][+-]?\d{3}/;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const marked = /"\\u0000number (-?\d[\d.eE+-]*)"/g;

/**
 * What a JSON text says, with strings in place of the numbers that parsing would not keep. Linear in its length.
 *
 * @throws SyntaxError when it is no JSON
 */
export function parseHoldingNumbers(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return mayBeInexact.test(json) ? (JSON.parse(holdNumbers(json)) as unknown) : value;
}

/** A text made of what was parsed, with the numbers as they stood. */
export function restoreNumbers(text: string): string {
  if (!text.includes(String.raw`"\u0000number `)) return text;
  return text.replace(marked, (held, digits: string) => (isInexact(digits) ? digits : held));
}

/** The number that a string stands for. */
export function heldNumber(text: string): string | undefined {
  const digits = text.startsWith(mark) ? text.slice(mark.length) : "";
  return isInexact(digits) ? digits : undefined;
}

function holdNumbers(json: string): string {
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

function holdNumber(text: string): string {
  return isInexact(text) ? JSON.stringify(mark + text) : text;
}

function isInexact(text: string): boolean {
  return mayBeInexact.test(text) && String(Number(text)) !== text;
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
