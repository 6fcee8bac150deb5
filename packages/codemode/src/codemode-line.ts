/** What one line of a reply is in the `<codemode>` grammar. */
export type CodemodeLine =
  | { kind: "text" }
  | { kind: "opener"; status?: string }
  | { kind: "whole"; code: string; status?: string; secondTag: boolean }
  | { kind: "closer" }
  /** Begins with `<codemode` and is no tag; `problem` completes the sentence "This line …". */
  | { kind: "broken"; problem: string };

const OPENER_NAME = "<codemode";
const CLOSER_NAME = "</codemode";
const SPACE = /\s*/y;
const ATTRIBUTE_NAME = /[^\s"'<>/=]+/y;

/** Reads one whole line, without its line break. Linear in the line, whatever it holds. */
export function readCodemodeLine(line: string): CodemodeLine {
  const text = line.trim();
  if (text.startsWith(CLOSER_NAME)) return isCloser(text) ? { kind: "closer" } : { kind: "text" };
  if (!text.startsWith(OPENER_NAME)) return { kind: "text" };
  const tag = readOpeningTag(text);
  if (typeof tag === "string") return { kind: "broken", problem: tag };
  const status = tag.status === undefined ? {} : { status: tag.status };
  if (tag.end === text.length) return { kind: "opener", ...status };
  const closerAt = text.lastIndexOf(CLOSER_NAME);
  if (closerAt < tag.end || !isCloser(text.slice(closerAt))) {
    return { kind: "broken", problem: "goes on after the opening tag and does not end with </codemode>" };
  }
  const code = text.slice(tag.end, closerAt).trim();
  return { kind: "whole", code, ...status, secondTag: holdsSecondTag(code) };
}

/** Whether a line that is not finished yet could still become a tag, so that a live view must hold it back. */
export function mayBecomeTag(unfinishedLine: string): boolean {
  const text = unfinishedLine.trim();
  if (text === "") return false;
  if (OPENER_NAME.startsWith(text) || CLOSER_NAME.startsWith(text)) return true;
  if (text.startsWith(OPENER_NAME)) return true;
  return text.startsWith(CLOSER_NAME) && (isCloser(text) || text.slice(CLOSER_NAME.length) === "");
}

function isCloser(text: string): boolean {
  return text.endsWith(">") && text.slice(CLOSER_NAME.length, -1).trim() === "";
}

/** A tag that closes and another that opens after it, on one line, are two scripts and not one. */
function holdsSecondTag(code: string): boolean {
  const closerAt = code.indexOf(CLOSER_NAME);
  return closerAt !== -1 && code.indexOf(OPENER_NAME, closerAt) !== -1;
}

/** Reads the opening tag at the start of `text`: where it ends and its status, or what is wrong with it. */
function readOpeningTag(text: string): { end: number; status?: string } | string {
  let at = OPENER_NAME.length;
  let status: string | undefined;
  for (;;) {
    const spaced = skip(SPACE, text, at);
    if (text[spaced] === ">") {
      return { end: spaced + 1, ...(status === undefined ? {} : { status }) };
    }
    if (spaced === text.length) return "has an opening tag without its >";
    const nameEnd = skip(ATTRIBUTE_NAME, text, spaced);
    if (spaced === at || nameEnd === spaced) return "has an opening tag that cannot be read";
    const name = text.slice(spaced, nameEnd);
    const equals = skip(SPACE, text, nameEnd);
    at = nameEnd;
    if (text[equals] !== "=") continue;
    const quoteAt = skip(SPACE, text, equals + 1);
    const quote = text[quoteAt];
    if (quote !== '"' && quote !== "'") return `has the attribute ${shorten(name)} without quotes`;
    const valueEnd = text.indexOf(quote, quoteAt + 1);
    if (valueEnd === -1) return `has the attribute ${shorten(name)} without its closing quote`;
    if (name === "status") status ??= text.slice(quoteAt + 1, valueEnd).trim() || undefined;
    at = valueEnd + 1;
  }
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function shorten(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}
