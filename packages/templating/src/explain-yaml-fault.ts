import type { YAMLException } from "js-yaml";
import { readYamlNodes, skipSpace } from "./read-yaml-nodes.ts";

/** What is wrong with a YAML text, at an offset from 0, and what to do about it. */
export interface YamlFault {
  readonly offset: number;
  readonly reason: string;
}

/**
 * Says in an author's words what a reader of YAML refused, and where the author can mend it: a quote or a bracket that
 * never closes is told where it opens, not where the text ends.
 */
export function explainYamlFault(source: string, exception: YAMLException): YamlFault {
  // Typed as always present, but some faults come without a place.
  const mark = exception.mark as YAMLException["mark"] | undefined;
  const offset = Math.min(mark?.position ?? 0, source.length);
  const [, explain = explainOther] =
    explanations.find(([pattern]) => pattern.test(exception.reason)) ?? ([] as const);
  const fault = explain(source, offset, exception);
  const unquoted = explainUnquoted(source, fault.offset);
  if (unquoted !== undefined) return unquoted;
  // What was meant to end earlier is the cause of whatever is read after it.
  return explainLateQuote(source) ?? explainNearFence(source, fault.offset) ?? fault;
}

/** A value with other quotes than YAML's, or one whose first word stands in brackets, on the line of a fault or before it. */
function explainUnquoted(source: string, offset: number): YamlFault | undefined {
  const start = lineStart(source, offset);
  const above = start === 0 ? 0 : lineStart(source, start - 1);
  for (const at of start === above ? [start] : [start, above]) {
    const [line = ""] = source.slice(at, at + LONGEST_LINE).split("\n", 1);
    const [, curved = ""] = /^[ \t]*(?:- )?(?:[\w-]+:[ \t]+)?(?=[“”„‟‘’])(.)/.exec(line) ?? [];
    if (curved !== "") {
      const quote = "‘’".includes(curved) ? "'" : '"';
      const reason = `the quotes here are curly, which YAML takes for letters; write straight ones: ${quote}`;
      return { offset: at + line.indexOf(curved), reason };
    }
    const odd = explainOddSpace(line);
    if (odd !== undefined) return { offset: at + odd.offset, reason: odd.reason };
    const [whole, bracket = ""] =
      /^[ \t]*(?:- )?[\w-]+:[ \t]+([[{])[^\]}\n]*[\]}][ \t]*(?=[^\s#,:\]}])/.exec(line) ?? [];
    if (whole !== undefined) {
      const reason = `text follows what the ${bracket} here opens; put the whole text in quotes`;
      return { offset: at + whole.indexOf(bracket), reason };
    }
  }
  return undefined;
}

/** A space after a colon that YAML takes for a letter. */
export function explainOddSpace(line: string): YamlFault | undefined {
  const [, before = "", name = "", space = ""] =
    /^([ \t]*(?:- )?([\w-]+):[ \t]*)([^\S \t\r\n])/.exec(line) ?? [];
  if (space === "" || before !== before.trimEnd()) return undefined;
  const code = space.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  const what = `U+${code}${space === "\u00a0" ? " (a no-break space)" : ""}`;
  const reason = `after ${name}: stands the character ${what}, which is no space to YAML; write a space`;
  return { offset: before.length, reason };
}

/** More of a line is not looked at. */
const LONGEST_LINE = 1000;

function explainOther(_: string, offset: number, { reason }: YAMLException): YamlFault {
  return { offset, reason: `${reason}; correct this line, or put the text in quotes` };
}

/** A quote that was forgotten ends where the next one opens, and what that one holds follows it. */
function explainLateQuote(source: string): YamlFault | undefined {
  for (const { start, end } of readYamlNodes(source).closed) {
    const quote = source.charAt(start);
    if ((quote !== '"' && quote !== "'") || !source.slice(start, end).includes("\n")) continue;
    const [after = ""] = source.slice(end, end + 1000).split("\n", 1);
    if (/^[ \t]*(?:[,\]}:]|[ \t]#|$)/.test(after)) continue;
    const reason = `the quote that opens here closes only lines below, and text follows it there; add ${quote} after its text`;
    return { offset: start, reason };
  }
  return undefined;
}

/** A closing fence that is none for the blanks beside it: the body is read as YAML. */
function explainNearFence(source: string, faultOffset: number): YamlFault | undefined {
  const trailing = source.search(/^---[ \t]+$/m);
  const above = source.slice(0, lineStart(source, faultOffset)).trimEnd();
  const last = lineStart(above, above.length);
  const isIndented = /^[ \t]+---$/.test(above.slice(last));
  const at = trailing !== -1 && trailing <= faultOffset ? trailing : isIndented ? last : -1;
  return at === -1 ? undefined : { offset: at, reason: NEAR_FENCE };
}

type Explain = (source: string, offset: number, exception: YAMLException) => YamlFault;

const explanations: readonly (readonly [RegExp, Explain])[] = [
  [/within a (?:double|single) quoted scalar/, explainOpenQuote],
  [/within a flow collection|missed comma|flow sequence|flow mapping/, explainOpenBracket],
  [/tab characters/, (_, offset) => ({ offset, reason: TAB })],
  [/duplicated mapping key/, explainDuplicateKey],
  [/bad indentation/, explainMisplacedText],
  [/document separator is expected|block mapping entry|implicit (?:mapping )?key/, explainNoPair],
  [/unidentified alias/, (source, offset) => reserved(source, source.lastIndexOf("*", offset))],
  [/unknown tag|tag /, explainTag],
  [/directive/, (source, offset) => reserved(source, source.lastIndexOf("%", offset))],
  [/escape sequence|hexadecimal character/, (_, offset) => ({ offset, reason: BACKSLASH })],
  [
    /node content, but found/,
    (_, offset) => ({
      offset,
      reason: "an entry is missing before this comma; write it, or remove the comma",
    }),
  ],
  [
    /a line break is expected/,
    (_, offset) => ({
      offset,
      reason: "nothing may follow | or > on its line; begin the text on the next line",
    }),
  ],
  [
    /non-printable|null byte/,
    (_, offset) => ({ offset, reason: "there is a control character here; remove it" }),
  ],
  [/single document/, explainSecondDocument],
];

const NEAR_FENCE =
  "blanks stand beside the --- here, so the frontmatter does not end with it; remove the blanks";
const TAB = "a tab stands where a line is indented; indent with spaces";
const BACKSLASH =
  "a backslash in double quotes begins an escape that YAML knows, and this is none; write \\\\ for a backslash, or use single quotes";

function explainOpenQuote(source: string, offset: number, { reason }: YAMLException): YamlFault {
  const quote = reason.includes("double") ? '"' : "'";
  const opened = readYamlNodes(source).open.at(-1) ?? offset;
  const at = source.indexOf(quote, opened);
  return {
    offset: at === -1 ? offset : at,
    reason: `the quote that opens here never closes; add ${quote} after its text`,
  };
}

function explainOpenBracket(source: string, offset: number): YamlFault {
  const at = readYamlNodes(source)
    .open.map((start) => skipSpace(source, start))
    .findLast((start) => source[start] === "[" || source[start] === "{");
  if (at === undefined) return { offset, reason: "there is no comma between two entries; add it" };
  const close = source[at] === "[" ? "]" : "}";
  // On one line the fault may be the comma; on a later one the bracket was forgotten.
  if (offset < source.length && !source.slice(at, offset).includes("\n"))
    return { offset, reason: `there is no comma between two entries; add it, or ${close} after the last` };
  return {
    offset: at,
    reason: `the ${source[at] ?? ""} that opens here never closes; add ${close} after its last entry`,
  };
}

function explainDuplicateKey(source: string, offset: number): YamlFault {
  const [line = ""] = source.slice(offset).split("\n", 1);
  const key = /^(?:"[^"]*"|'[^']*'|[^:]*)/.exec(line)?.[0].trim() ?? "";
  return { offset, reason: `the key ${key} occurs twice; remove one` };
}

/** The reader calls every text that it did not expect on a line wrongly indented. */
function explainMisplacedText(source: string, offset: number): YamlFault {
  const character = source.charAt(offset);
  const before = source.slice(0, offset).trimEnd().at(-1) ?? "";
  const start = lineStart(source, offset);
  if (character === ":" && /:\s/.test(source.slice(start, offset)))
    return { offset, reason: "a second colon stands on this line; put the text that holds it in quotes" };
  if (/[@`%]/.test(character)) return reserved(source, offset);
  if ((before === '"' || before === "'") && source.slice(start, offset).trim() !== "") {
    const reason = `text follows the quote that closes before it; put the whole text in quotes, and write ${before === "'" ? "''" : '\\"'} for a quote in it`;
    return { offset, reason };
  }
  if (leadingTab(source, offset)) return { offset: start, reason: TAB };
  return {
    offset: skipSpace(source, start),
    reason: "this line is indented unlike those above it; give what belongs together the same indentation",
  };
}

/** A line that is no `name: value`; the reader stops after it, at the line's end or on the next one. */
function explainNoPair(source: string, offset: number): YamlFault {
  if (leadingTab(source, offset)) return { offset: lineStart(source, offset), reason: TAB };
  const written = source.slice(0, lineStart(source, offset)).trimEnd().length;
  const here = source.slice(lineStart(source, offset)).split("\n", 1)[0] ?? "";
  // What stands here is a pair: the fault is the line before it.
  const isAbove = here.trim() === "" || /^[^:]*:(?:\s|$)/.test(here);
  const start = lineStart(source, isAbove ? written : offset);
  return {
    offset: start,
    reason:
      'this line is no "name: value"; write one, with a space after the colon, or indent it under the line above',
  };
}

function explainSecondDocument(source: string, offset: number): YamlFault {
  const at = source.search(/^(?:\.\.\.|---)/m);
  return { offset: at === -1 ? offset : at, reason: "this line ends the YAML, and more follows; remove it" };
}

/** A text that begins with a character which YAML keeps for itself. */
function reserved(source: string, offset: number): YamlFault {
  const at = Math.max(0, offset);
  return { offset: at, reason: `a text cannot begin with ${source.charAt(at)}; put it in quotes` };
}

function explainTag(source: string, offset: number): YamlFault {
  const at = source.lastIndexOf("!", offset);
  const start = Math.max(0, source.startsWith("!!", at - 1) ? at - 1 : at);
  return {
    offset: start,
    reason: "an unknown tag stands here; remove it, or put a text that begins with ! in quotes",
  };
}

function lineStart(source: string, offset: number): number {
  return offset === 0 ? 0 : source.lastIndexOf("\n", offset - 1) + 1;
}

function leadingTab(source: string, offset: number): boolean {
  return /^ *\t/.test(source.slice(lineStart(source, offset), offset + 1));
}
