import { createLocator, normalizeText, type Position, trimContent } from "@promptfold/parser";
import { findFrontmatter, type FrontmatterBlock } from "./find-frontmatter.ts";
import { requireObject, requireText } from "./require-argument.ts";
import { type Metadata, readFrontmatter } from "./read-frontmatter.ts";

/** A prompt file or template, read: its metadata and its body. Nothing is substituted yet. */
export interface PromptFile {
  /** What errors call it: a path that a reader can open. */
  readonly file: string;
  /** What events call it: a name that is the same on every machine, such as `prompts/daily.md`. */
  readonly originFile: string;
  /** The whole text, with LF line ends and without byte-order marks. */
  readonly text: string;
  readonly metadata: Metadata;
  /** Where the metadata was written; absent without frontmatter. */
  readonly frontmatter?: FrontmatterBlock;
  /** Offset of an opening fence that nothing closes, which makes it text. */
  readonly unclosedFrontmatter?: number;
  /** Without blank lines at its start and white space at its end. */
  readonly body: string;
  /** Offset of the body in `text`. */
  readonly bodyStart: number;
  /** Turns an offset in `text` into the author's line and column. */
  readonly locate: (offset: number) => Position;
}

/**
 * Reads a prompt file: Markdown with optional frontmatter. Frontmatter that never closes is text.
 *
 * @param source - the file's text; CRLF is read as LF, byte-order marks are dropped
 * @param name - `file` for errors, `originFile` for events (the same unless given)
 * @throws FrontmatterError when the block is broken, ArgumentTypeError
 */
export function parsePromptFile(
  source: string,
  name: { readonly file: string; readonly originFile?: string | undefined },
): PromptFile {
  requireText(source, "the source of a prompt file", "what is in the file, not its name");
  requireObject(name, "the second argument", 'what to call the file, as in { file: "prompts/daily.md" }');
  const { file, originFile = file } = name;
  requireText(file, "file", "what errors are to call the file");
  const text = normalizeText(source);
  const locate = createLocator(text);
  const { block, unclosed } = findFrontmatter(text);
  const metadata = block === undefined ? {} : readFrontmatter(file, text, block, locate);
  const { start, end } = trimContent(text, block?.bodyStart ?? 0, text.length, false);
  return {
    file,
    originFile,
    text,
    metadata,
    ...(block === undefined ? {} : { frontmatter: block }),
    ...(unclosed === undefined ? {} : { unclosedFrontmatter: unclosed }),
    body: text.slice(start, end),
    bodyStart: start,
    locate,
  };
}

/** A file as a template is used: trimmed on both sides, so its first line loses its indentation too. */
export function asTemplate(file: PromptFile): PromptFile {
  const { start } = trimContent(file.body, 0, file.body.length, true);
  return start === 0 ? file : { ...file, body: file.body.slice(start), bodyStart: file.bodyStart + start };
}
