import type { PromptFile } from "./prompt-file.ts";

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
 * model would read it. Four blanks or a tab before a fence make it code in Markdown, which is left alone.
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
  const opening = /^(?:[^\S\n]*\n)*([^\S\n\t]{0,3})(---|\{)[^\S\n]*(?:\n|$)/.exec(text);
  const [before = "", blanks = "", fence = ""]: (string | undefined)[] = opening ?? [];
  if (opening === null) return [];
  const start = before.trimEnd().length - fence.length;
  const place = locate(start);
  const otherwise =
    fence === "---" ? "write *** for a line across the page" : "begin the text with something else";
  const message = `blanks stand beside this ${fence}, so it opens no frontmatter, and all that follows is part of the prompt; remove the blanks, or ${otherwise}`;
  const endColumn = place.column + fence.length;
  const column = place.column - blanks.length;
  return [{ code: "near-frontmatter", message, line: place.line, column, endColumn }];
}

/** Where a line begins that is a fence but for blanks beside it. */
function findNearFence(text: string, fence: string): number | undefined {
  const match = (fence === "}" ? /^[^\S\n]*\}[^\S\n]*$/m : /^[^\S\n]*---[^\S\n]*$/m).exec(text);
  return match?.index;
}
