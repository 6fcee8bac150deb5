import { formatPlace } from "@promptfold/parser";
import { compileTemplate, type Token } from "./compile-template.ts";
import { PromptTooLargeError, TemplateCycleError } from "./errors.ts";
import { asTemplate, type PromptFile } from "./prompt-file.ts";
import type { Templates } from "./variables.ts";

/** Authored text of one file with its placeholders, no template among them. Pieces border where templates do. */
export interface Piece {
  readonly source: PromptFile;
  /** Offset in the source's body. */
  readonly start: number;
  /** What the author wrote here. */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The use of the template that the piece is of; absent for the prompt's own text. */
  readonly usedBy: TemplateUse | undefined;
}

/** The name of a template in the text of a file, where the template's text is put in. */
export interface TemplateUse {
  readonly name: string;
  readonly source: PromptFile;
  readonly token: Token;
  /** When the file is a template itself: its own use. */
  readonly usedBy: TemplateUse | undefined;
}

/** The most that templates may expand to: UTF-16 units, pieces, and levels of templates in templates. */
const MOST_EXPANDED = 16_000_000;
const MOST_PIECES = 200_000;
const DEEPEST = 100;

/**
 * Puts templates in place of their names, on tokens and not on text: pieces stay apart, so no placeholder and no tag
 * forms across a border. A name for which `isBound` holds is left for its value.
 *
 * @throws TemplateCycleError, PromptTooLargeError, and what reading a template throws
 */
export function expandTemplates(
  file: PromptFile,
  templates: Templates | undefined,
  isBound: (name: string) => boolean,
): Piece[] {
  const pieces: Piece[] = [];
  const path: string[] = [];
  let characters = 0;

  const add = (
    source: PromptFile,
    usedBy: TemplateUse | undefined,
    [start, end]: readonly [number, number],
    tokens: readonly Token[],
  ): void => {
    characters += end - start;
    if (characters > MOST_EXPANDED)
      throw new PromptTooLargeError(file.file, `templates expand to more than ${MOST_EXPANDED} characters`);
    if (pieces.length >= MOST_PIECES)
      throw new PromptTooLargeError(file.file, `templates expand to more than ${MOST_PIECES} pieces`);
    pieces.push({ source, start, text: source.body.slice(start, end), tokens, usedBy });
  };

  const expand = (source: PromptFile, usedBy?: TemplateUse): void => {
    const tokens = compileTemplate(source.body);
    let start = 0;
    let first = 0;
    for (const [index, token] of tokens.entries()) {
      const { name } = token;
      if (name === undefined || !templates?.has(name) || isBound(name)) continue;
      add(source, usedBy, [start, token.start], tokens.slice(first, index));
      enter({ name, source, token, usedBy }, templates);
      start = token.start + token.raw.length;
      first = index + 1;
    }
    add(source, usedBy, [start, source.body.length], first === 0 ? tokens : tokens.slice(first));
  };

  const enter = (use: TemplateUse, known: Templates): void => {
    const { name, source, token } = use;
    const place = { file: source.file, ...source.locate(source.bodyStart + token.start) };
    const again = path.indexOf(name);
    if (again !== -1) throw new TemplateCycleError([...path.slice(again), name], place);
    if (path.length >= DEEPEST) {
      throw new PromptTooLargeError(
        formatPlace(place),
        `templates are nested more than ${DEEPEST} levels deep`,
      );
    }
    const template = known.get(name);
    if (template === undefined) return;
    path.push(name);
    expand(asTemplate(template), use);
    path.pop();
  };

  expand(file);
  return pieces;
}
