/** One piece of a template: text that stands for itself, `$$` for a dollar, or a placeholder. */
export interface Token {
  /** What stands in the text; for a placeholder what stays when nothing is bound to it. */
  readonly raw: string;
  /** Offset in the text. */
  readonly start: number;
  /** The variable's name, for a placeholder. */
  readonly name?: string;
  /** Set for `$$`. */
  readonly dollar?: true;
}

/** Templates kept ready, and how many characters of them. */
const MOST_TEMPLATES = 256;
const MOST_CHARACTERS = 8_000_000;

const compiled = new Map<string, readonly Token[]>();
let characters = 0;

/**
 * Splits a text by the rules of Python's `string.Template`: `$name`, `${name}`, `$$`. Names are
 * `[_A-Za-z][_A-Za-z0-9]*`, as long as possible; every other dollar is text. Results are kept by content.
 */
export function compileTemplate(text: string): readonly Token[] {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const tokens = tokenize(text);
  if (text.length <= MOST_CHARACTERS) {
    if (compiled.size >= MOST_TEMPLATES || characters + text.length > MOST_CHARACTERS) {
      compiled.clear();
      characters = 0;
    }
    compiled.set(text, tokens);
    characters += text.length;
  }
  return tokens;
}

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let textStart = 0;
  for (let at = text.indexOf("$"); at !== -1;) {
    const token = readDollar(text, at);
    if (token !== undefined) {
      if (at > textStart) tokens.push({ raw: text.slice(textStart, at), start: textStart });
      tokens.push(token);
      textStart = at + token.raw.length;
    }
    at = text.indexOf("$", token === undefined ? at + 1 : textStart);
  }
  if (textStart < text.length) tokens.push({ raw: text.slice(textStart), start: textStart });
  return tokens;
}

function readDollar(text: string, at: number): Token | undefined {
  const code = text.charCodeAt(at + 1);
  if (code === 0x24) return { raw: "$$", start: at, dollar: true };
  const braced = code === 0x7b;
  const nameStart = at + (braced ? 2 : 1);
  if (!isNameStart(text.charCodeAt(nameStart))) return undefined;
  let end = nameStart + 1;
  while (isNamePart(text.charCodeAt(end))) end += 1;
  const name = text.slice(nameStart, end);
  if (!braced) return { raw: text.slice(at, end), start: at, name };
  return text.charCodeAt(end) === 0x7d ? { raw: text.slice(at, end + 1), start: at, name } : undefined;
}

function isNameStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 0x30 && code <= 0x39);
}
