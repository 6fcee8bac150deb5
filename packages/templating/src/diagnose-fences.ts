import { findBalance, type FrontmatterBlock, IF_BRACE_IS_TEXT } from "./find-frontmatter.ts";
import { METADATA_FIELDS } from "./metadata-schema.ts";
import { createNameHints } from "./nearest-name.ts";
import type { PromptFile } from "./prompt-file.ts";
import { readJson } from "./read-json.ts";

/** A line that was most likely meant as a fence of frontmatter and is none. Line and columns count from 1. */
export interface FenceDiagnostic {
  /** `unclosed-frontmatter`: a block that nothing closes. `near-frontmatter`: a first line that is nearly a fence, or nearly none. */
  readonly code: "unclosed-frontmatter" | "near-frontmatter";
  /** What is wrong and what to do. */
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
}

/**
 * Finds frontmatter that is part of the prompt instead, since its fences are not the exact lines `---` or `{` and `}`: the
 * model would read it. So with blanks beside a fence, a language or more dashes in it, carriage returns for line ends, TOML,
 * and JSON beside its braces. Four blanks or a tab before a fence make it code in Markdown, which is left alone.
 */
export function diagnoseFences({
  text,
  frontmatter,
  unclosedFrontmatter,
  locate,
}: Pick<PromptFile, "text" | "frontmatter" | "unclosedFrontmatter" | "locate">): FenceDiagnostic[] {
  if (frontmatter !== undefined) return diagnoseSwallowed(text, frontmatter, locate);
  if (unclosedFrontmatter !== undefined) {
    const [open, close] = text.startsWith("{", unclosedFrontmatter) ? ["{", "}"] : ["---", "---"];
    const near = findNearFence(text.slice(unclosedFrontmatter + open.length), close);
    const remedy =
      near === undefined
        ? `end it with a line that is exactly ${close}`
        : `blanks stand beside the ${close} in line ${locate(unclosedFrontmatter + open.length + near).line}: remove them`;
    const otherwise = open === "{" ? IF_BRACE_IS_TEXT : IF_DASHES_ARE_TEXT;
    const message = `frontmatter opens here and never closes, so it is part of the prompt; ${remedy}; ${otherwise}`;
    const place = locate(unclosedFrontmatter);
    return [{ code: "unclosed-frontmatter", message, ...place, endColumn: place.column + open.length }];
  }
  const [blank = ""] = /^(?:[^\S\n]*\n)*/.exec(text) ?? [];
  const start = blank.length;
  const [line = ""] = text.slice(start, start + LONGEST_LINE).split("\n", 1);
  const message = explainOpening(line, text.slice(start));
  if (message === undefined) return diagnoseLateBlock(text, start, locate);
  const place = locate(start);
  return [{ code: "near-frontmatter", message, ...place, endColumn: place.column + line.trimEnd().length }];
}

/** A JSON block in which no field has a meaning is most likely the prompt's own example. */
function diagnoseSwallowed(
  text: string,
  { language, start, end }: FrontmatterBlock,
  locate: (offset: number) => { readonly line: number; readonly column: number },
): FenceDiagnostic[] {
  if (language !== "json" || text.slice(end).trim() === "") return [];
  const reading = readJson(text.slice(start, end));
  if (reading.kind !== "data") return [];
  const fields = Object.keys(reading.data as Record<string, unknown>);
  const nearest = createNameHints(() => METADATA_FIELDS);
  if (
    fields.length === 0 ||
    fields.some((field) => METADATA_FIELDS.includes(field) || nearest(field) !== undefined)
  )
    return [];
  const message = `this block is read as frontmatter, and the model does not see it, though no field of it has a meaning; ${IF_BRACE_IS_TEXT}`;
  const place = locate(start);
  return [{ code: "near-frontmatter", message, ...place, endColumn: place.column + 1 }];
}

/** Characters that show nothing, and are no white space. */
const INVISIBLE = /[\u200b-\u200f\u2060\u00ad]/g;

/** A block that would be frontmatter, were nothing above it: a heading or a comment, or a character that nobody sees. */
function diagnoseLateBlock(
  text: string,
  start: number,
  locate: (offset: number) => { readonly line: number; readonly column: number },
): FenceDiagnostic[] {
  const head = text.slice(start, start + LONGEST_HEAD);
  const above =
    /^(?:(?:#{1,6} [^\n]*|<!--(?:(?!-->)[^])*-->[^\S\n]*|[\u200b-\u200f\u2060\u00ad]+[^\S\n]*)\n\s*|[\u200b-\u200f\u2060\u00ad]+)/.exec(
      head,
    );
  if (above === null) return [];
  const [over] = above;
  const at = start + over.length;
  const block = head.slice(over.length);
  const [, fields] = /^---\n((?:[\w-]+:|[ \t-]|#|\n)[^]*?)\n---(?:\n|$)/.exec(block) ?? [];
  const hasMeaning =
    fields === undefined
      ? block.startsWith("{\n") && isMetadata(block)
      : METADATA_FIELDS.some((field) => `\n${fields}`.includes(`\n${field}:`));
  if (!hasMeaning) return [];
  const fence = fields === undefined ? "{" : "---";
  const place = locate(at);
  const invisible = over.replace(INVISIBLE, "").trim() === "" ? over.match(INVISIBLE)?.[0] : undefined;
  const what =
    invisible === undefined
      ? `text stands above this ${fence}`
      : `the invisible character U+${invisible.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")} stands before this ${fence}`;
  const remedy = invisible === undefined ? "move it below the block" : "remove it";
  const message = `${what}, so it opens no frontmatter, and all that follows is part of the prompt; ${remedy}`;
  return [{ code: "near-frontmatter", message, ...place, endColumn: place.column + fence.length }];
}

/** Frontmatter further down is none that somebody meant. */
const LONGEST_HEAD = 5000;

const IF_DASHES_ARE_TEXT = "if this is a line across the page, write ***";

/** A longer line is no fence. */
const LONGEST_LINE = 1000;

/** What to say of a first line that looks like the beginning of frontmatter; `text` begins with it. */
function explainOpening(line: string, text: string): string | undefined {
  const rest = text.slice(line.length);
  const fence = line.trim();
  const consequence = "opens no frontmatter, and all that follows is part of the prompt";
  if (/^[^\S\t]{0,3}(?:---|\{)\s*$/.test(line)) {
    const otherwise =
      fence === "---"
        ? "write *** for a line across the page"
        : "put two lines that are exactly --- before it";
    return `blanks stand beside this ${fence}, so it ${consequence}; remove the blanks, or ${otherwise}`;
  }
  if (/^(?:---|\{)[ \t]*\r/.test(line))
    return `carriage returns end the lines here, so ${fence.slice(0, fence.indexOf("\r")).trim()} ${consequence}; save the file with line feeds (LF or CRLF)`;
  const closes = (close: string): boolean => `${rest}\n`.includes(`\n${close}\n`);
  const isPair = /^\n[\w-]+:(?:\s|$)/.test(rest);
  if (/^---[ \t]*[A-Za-z]+$/.test(fence) && closes("---"))
    return `${fence} ${consequence}; write ${/json/i.test(fence) ? "JSON from a line { to a line }" : "YAML between two lines ---"}`;
  if (/^-{4,}$/.test(fence) && isPair && closes(fence))
    return `${fence} ${consequence}; write three dashes, as it closes with three, too`;
  if (fence === "+++" && closes("+++"))
    return `+++ ${consequence}; write it as YAML between two lines ---, since TOML is not read`;
  const isOneLine = fence.endsWith("}");
  return isMetadata(text)
    ? `metadata ${isOneLine ? "on one line" : "whose { stands beside it"} is part of the prompt; begin it with a line that is exactly {, and end it with a line }`
    : undefined;
}

/** Whether a text begins with a JSON object alone on its lines, with a field that has a meaning as metadata. */
function isMetadata(text: string): boolean {
  const start = /^ {0,3}(?=\{)/.exec(text)?.[0].length;
  if (start === undefined) return false;
  const close = findBalance(text, start);
  const [after = ""] = text.slice(close + 1, close + 1 + LONGEST_LINE).split("\n", 1);
  if (close === -1 || after.trim() !== "") return false;
  const reading = readJson(text.slice(start, close + 1));
  return (
    reading.kind === "data" &&
    METADATA_FIELDS.some((field) => Object.hasOwn(reading.data as Record<string, unknown>, field))
  );
}

/** Where a line begins that is a fence but for blanks beside it. */
function findNearFence(text: string, fence: string): number | undefined {
  const match = (fence === "}" ? /^[^\S\n]*\}[^\S\n]*$/m : /^[^\S\n]*---[^\S\n]*$/m).exec(text);
  return match?.index;
}
