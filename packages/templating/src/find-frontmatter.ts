import { trimContent } from "@promptfold/parser";

/** Frontmatter's place in a text. `start` and `end` hold the block (JSON with its braces, YAML without its fences). */
export interface FrontmatterBlock {
  readonly language: "json" | "yaml";
  readonly start: number;
  readonly end: number;
  /** Where the line after the closing fence begins. */
  readonly bodyStart: number;
}

/** What an author does whose text begins with a line that is exactly `{`: frontmatter that says nothing ends before it. */
export const IF_BRACE_IS_TEXT: string =
  "if this is the prompt's own text, put two lines that are exactly --- before it";

/** What stands at a text's head. `unclosed` is the offset of an opening fence that nothing closes. */
export interface FrontmatterSearch {
  readonly block?: FrontmatterBlock;
  readonly unclosed?: number;
}

/**
 * Finds frontmatter by its exact fences: the first line that is not blank is `{` alone or `---` alone. YAML runs to the
 * next `---` line. JSON runs to the `}` line that balances the opening brace; a block that nothing balances, but that
 * has a `}` line, ends there and is broken. Linear in the text.
 */
export function findFrontmatter(text: string): FrontmatterSearch {
  const { start } = trimContent(text, 0, text.length, false);
  const lineEnd = endOfLine(text, start);
  switch (text.slice(start, lineEnd)) {
    case "---":
      return findYaml(text, start, lineEnd);
    case "{":
      return findJson(text, start);
    default:
      return {};
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

/** The first line at or after the one that ends at `lineEnd` that is exactly `fence`; -1 when there is none. */
function findFence(text: string, lineEnd: number, fence: string): number {
  const needle = `\n${fence}`;
  for (let at = text.indexOf(needle, lineEnd); at !== -1; at = text.indexOf(needle, at + 1)) {
    const end = at + needle.length;
    if (end === text.length || text.charCodeAt(end) === 0x0a) return at + 1;
  }
  return -1;
}

function findYaml(text: string, start: number, lineEnd: number): FrontmatterSearch {
  const close = findFence(text, lineEnd, "---");
  if (close === -1) return { unclosed: start };
  const blockStart = lineEnd + 1;
  return { block: { language: "yaml", start: blockStart, end: close, bodyStart: close + 4 } };
}

function findJson(text: string, start: number): FrontmatterSearch {
  const balanced = findBalance(text, start);
  const fence = findFence(text, start, "}");
  if (fence === -1) return { unclosed: start };
  // A brace that balances in mid-line closes nothing, and no later line can: the block is broken.
  const alone = text.charCodeAt(balanced - 1) === 0x0a && endOfLine(text, balanced) === balanced + 1;
  const end = (balanced !== -1 && alone ? balanced : fence) + 1;
  return { block: { language: "json", start, end, bodyStart: end + 1 } };
}

/** The offset of the brace that balances the one at `start`, strings skipped; -1 when there is none. */
export function findBalance(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b) depth += 1;
    else if (code === 0x7d) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}
