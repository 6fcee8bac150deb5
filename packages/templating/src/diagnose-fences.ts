import { METADATA_FIELDS } from "./metadata-schema.ts";
import type { PromptFile } from "./prompt-file.ts";
import { readJson } from "./read-json.ts";

/** A line that was most likely meant as a fence of frontmatter and is none. Line and columns count from 1. */
export interface FenceDiagnostic {
  /** `unclosed-frontmatter`: a block that nothing closes. `near-frontmatter`: a first line that is nearly a fence. */
  readonly code: "unclosed-frontmatter" | "near-frontmatter";
  /** What is wrong and what to do. */
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
}

/**
 * Finds frontmatter that is part of the prompt instead, since its fences are not the exact lines `---` or `{` and `}`: the
 * model would read it. So with blanks beside a fence, a language or more dashes in it, TOML, and JSON on one line. Four
 * blanks or a tab before a fence make it code in Markdown, which is left alone.
 */
export function diagnoseFences({
  text,
  frontmatter,
  unclosedFrontmatter,
  locate,
}: Pick<PromptFile, "text" | "frontmatter" | "unclosedFrontmatter" | "locate">): FenceDiagnostic[] {
  if (frontmatter !== undefined) return [];
  if (unclosedFrontmatter !== undefined) {
    const [open, close] = text.startsWith("{", unclosedFrontmatter) ? ["{", "}"] : ["---", "---"];
    const near = findNearFence(text.slice(unclosedFrontmatter + open.length), close);
    const remedy =
      near === undefined
        ? `end it with a line that is exactly ${close}`
        : `blanks stand beside the ${close} in line ${locate(unclosedFrontmatter + open.length + near).line}: remove them`;
    const message = `frontmatter opens here and never closes, so it is part of the prompt; ${remedy}`;
    const place = locate(unclosedFrontmatter);
    return [{ code: "unclosed-frontmatter", message, ...place, endColumn: place.column + open.length }];
  }
  const [blank = ""] = /^(?:[^\S\n]*\n)*/.exec(text) ?? [];
  const start = blank.length;
  const [line = ""] = text.slice(start, start + LONGEST_LINE).split("\n", 1);
  const message = explainOpening(line, text.slice(start + line.length));
  if (message === undefined) return [];
  const place = locate(start);
  return [{ code: "near-frontmatter", message, ...place, endColumn: place.column + line.trimEnd().length }];
}

/** A longer line is no fence. */
const LONGEST_LINE = 1000;

/** What to say of a first line that looks like the beginning of frontmatter; `rest` is what follows it. */
function explainOpening(line: string, rest: string): string | undefined {
  const fence = line.trim();
  const consequence = "opens no frontmatter, and all that follows is part of the prompt";
  if (/^[^\S\t]{0,3}(?:---|\{)\s*$/.test(line)) {
    const otherwise =
      fence === "---" ? "write *** for a line across the page" : "begin the text with something else";
    return `blanks stand beside this ${fence}, so it ${consequence}; remove the blanks, or ${otherwise}`;
  }
  const closes = (close: string): boolean => `${rest}\n`.includes(`\n${close}\n`);
  const isPair = /^\n[\w-]+:(?:\s|$)/.test(rest);
  if (/^---[ \t]*[A-Za-z]+$/.test(fence) && closes("---"))
    return `${fence} ${consequence}; write ${/json/i.test(fence) ? "JSON from a line { to a line }" : "YAML between two lines ---"}`;
  if (/^-{4,}$/.test(fence) && isPair && closes(fence))
    return `${fence} ${consequence}; write three dashes, as it closes with three, too`;
  if (fence === "+++" && closes("+++"))
    return `+++ ${consequence}; write it as YAML between two lines ---, since TOML is not read`;
  return isMetadata(fence)
    ? "metadata on one line is part of the prompt; begin it with a line that is exactly {, and end it with a line }"
    : undefined;
}

/** Whether a line is a JSON object with a field that has a meaning as metadata. */
function isMetadata(line: string): boolean {
  if (!/^\{.*\}$/.test(line)) return false;
  const reading = readJson(line);
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
