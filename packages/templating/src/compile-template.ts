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

/** Texts remembered, and how many characters of them. */
const MOST_TEXTS = 256;
const MOST_CHARACTERS = 4_000_000;

/** Texts seen: once (null), or twice and then with their tokens. A text used once is not worth the memory. */
const seen = new Map<string, readonly Token[] | null>();
let characters = 0;

/**
 * Splits a text by the rules of Python's `string.Template`: `$name`, `${name}`, `$$`. Names are
 * `[_A-Za-z][_A-Za-z0-9]*`, as long as possible; every other dollar is text. Tokens of a text that comes again are kept.
 */
export function compileTemplate(text: string): readonly Token[] {
  const known = seen.get(text);
  if (known) return known;
  const tokens = tokenize(text);
  if (known === null) seen.set(text, tokens);
  else if (text.length <= MOST_CHARACTERS) note(text);
  return tokens;
}

function note(text: string): void {
  if (seen.size >= MOST_TEXTS || characters + text.length > MOST_CHARACTERS) {
    seen.clear();
    characters = 0;
  }
  seen.set(text, null);
  characters += text.length;
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
