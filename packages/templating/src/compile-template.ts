import { isNamePart, isNameStart } from "./variable-name.ts";

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

/** A text whose placeholders were found, ready to be filled again and again. */
export interface CompiledTemplate {
  readonly tokens: readonly Token[];
  /** The names of its placeholders, each once, in the order of first use. */
  readonly names: readonly string[];
  /** What stands before each placeholder and after the last one, `$$` read: one more than there are placeholders. */
  readonly texts: readonly string[];
  /** For each placeholder the index of its name in `names`, and how it is written. */
  readonly slots: readonly number[];
  readonly raws: readonly string[];
  /** How the object that it was filled from last fits. */
  alignment: Alignment;
}

/** How an object's keys fit the names of a template. */
export interface Alignment {
  /** The object's own enumerable keys, in their order, and for each the index of its name in the template (-1: none). */
  readonly keys: readonly string[];
  readonly targets: readonly number[];
  /** Indexes of the names that are none of the keys. */
  readonly missing: readonly number[];
}

/** Texts remembered, and how many characters of them. */
const MOST_REMEMBERED = 256;
const MOST_REMEMBERED_CHARACTERS = 4_000_000;
const MOST_OF_ONE_LENGTH = 4;

/** A text seen once; when it comes again it gets its template. A text used once is not worth the memory. */
interface SeenText {
  readonly text: string;
  template?: CompiledTemplate;
}

/** By length: comparing a few texts of one length is much cheaper than hashing every text. */
const seen = new Map<number, SeenText[]>();
let texts = 0;
let characters = 0;

/**
 * Splits a text by the rules of Python's `string.Template`: `$name`, `${name}`, `$$`. Names are
 * `[_A-Za-z][_A-Za-z0-9]*`, as long as possible; every other dollar is text. Tokens of a text that comes again are kept.
 */
export function compileTemplate(text: string): readonly Token[] {
  return (knownTemplate(text) ?? compile(text)).tokens;
}

/** The template of a text that was seen before; the first time there is none. */
export function knownTemplate(text: string): CompiledTemplate | undefined {
  const sameLength = seen.get(text.length);
  if (sameLength !== undefined) {
    for (let index = 0; index < sameLength.length; index += 1) {
      const known = sameLength[index];
      if (known?.text === text) return (known.template ??= compile(text));
    }
  }
  note(text, sameLength);
  return undefined;
}

function note(text: string, sameLength: SeenText[] | undefined): void {
  if (text.length > MOST_REMEMBERED_CHARACTERS) return;
  if (sameLength !== undefined && sameLength.length >= MOST_OF_ONE_LENGTH) {
    sameLength.shift();
    sameLength.push({ text });
    return;
  }
  if (texts >= MOST_REMEMBERED || characters + text.length > MOST_REMEMBERED_CHARACTERS) {
    seen.clear();
    texts = 0;
    characters = 0;
  }
  const list = seen.get(text.length);
  if (list === undefined) seen.set(text.length, [{ text }]);
  else list.push({ text });
  texts += 1;
  characters += text.length;
}

/**
 * Puts values in place of the placeholders of a text, without keeping anything. `limit` is a length: a result that grows
 * beyond it is not finished.
 */
export function fillOnce(
  text: string,
  lookUp: (name: string) => string | undefined,
  limit: number = Infinity,
): string {
  let result = "";
  let textStart = 0;
  scanDollars(text, (start, end, nameStart, nameEnd) => {
    if (result.length > limit) return;
    if (start > textStart) result += text.slice(textStart, start);
    const value = nameEnd === 0 ? "$" : lookUp(text.slice(nameStart, nameEnd));
    result += value ?? text.slice(start, end);
    textStart = end;
  });
  if (textStart === 0) return text;
  return textStart < text.length ? result + text.slice(textStart) : result;
}

/**
 * Puts values in place of a template's placeholders. `values` is in the order of the template's names. The text grows from
 * its end to its beginning: engines join such a chain of parts a fifth faster than one that grows the other way.
 */
export function fillTemplate(
  { texts: between, slots, raws }: CompiledTemplate,
  values: readonly (string | undefined)[],
): string {
  let result = between[slots.length] ?? "";
  for (let index = slots.length - 1; index >= 0; index -= 1) {
    const value = values[slots[index] as number];
    result = (value === undefined ? (raws[index] as string) : value) + result;
    result = (between[index] as string) + result;
  }
  return result;
}

function compile(text: string): CompiledTemplate {
  const tokens: Token[] = [];
  const between: string[] = [];
  const slots: number[] = [];
  const raws: string[] = [];
  const indexes = new Map<string, number>();
  let before = "";
  let textStart = 0;
  const addText = (end: number): void => {
    if (end <= textStart) return;
    const raw = text.slice(textStart, end);
    tokens.push({ raw, start: textStart });
    before += raw;
  };
  scanDollars(text, (start, end, nameStart, nameEnd) => {
    addText(start);
    textStart = end;
    if (nameEnd === 0) {
      tokens.push({ raw: "$$", start, dollar: true });
      before += "$";
      return;
    }
    const raw = text.slice(start, end);
    const name = text.slice(nameStart, nameEnd);
    tokens.push({ raw, start, name });
    const index = indexes.get(name) ?? indexes.size;
    indexes.set(name, index);
    between.push(before);
    slots.push(index);
    raws.push(raw);
    before = "";
  });
  addText(text.length);
  between.push(before);
  const names = [...indexes.keys()];
  const alignment = { keys: [], targets: [], missing: [...names.keys()] };
  return { tokens, names, texts: between, slots, raws, alignment };
}

/** Visits each `$$` and each placeholder in order, with where it stands and where its name does (`nameEnd` 0 for `$$`). */
function scanDollars(
  text: string,
  visit: (start: number, end: number, nameStart: number, nameEnd: number) => void,
): void {
  for (let at = text.indexOf("$"); at !== -1;) {
    const code = text.charCodeAt(at + 1);
    const nameStart = code === 0x7b ? at + 2 : at + 1;
    let end = at + 1;
    if (code === 0x24) {
      end = at + 2;
      visit(at, end, 0, 0);
    } else if (isNameStart(text.charCodeAt(nameStart))) {
      let nameEnd = nameStart + 1;
      while (isNamePart(text.charCodeAt(nameEnd))) nameEnd += 1;
      if (code !== 0x7b) visit(at, (end = nameEnd), nameStart, nameEnd);
      else if (text.charCodeAt(nameEnd) === 0x7d) visit(at, (end = nameEnd + 1), nameStart, nameEnd);
    }
    at = text.indexOf("$", end);
  }
}
