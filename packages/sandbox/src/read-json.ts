/** Levels of arrays and objects that text from a script may have; `encodeValue` writes fewer. */
const DEEPEST = 500;

/**
 * Parses JSON text that a script has influenced.
 *
 * @throws SyntaxError when it is not JSON, or nested so deep that whoever writes it again would run out of stack.
 */
export function readJson(text: string): unknown {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === 92) at += 1;
      else if (unit === 34) inString = false;
    } else if (unit === 34) {
      inString = true;
    } else if (unit === 91 || unit === 123) {
      depth += 1;
      if (depth > DEEPEST) throw new SyntaxError(`The data is nested more than ${DEEPEST} levels deep`);
    } else if (unit === 93 || unit === 125) {
      depth -= 1;
    }
  }
  return JSON.parse(text) as unknown;
}
