import {
  describeProblem,
  type Place,
  type Position,
  type SectionDiagnostic,
  type SectionSpan,
  splitSections,
  unescapeTags,
} from "@promptfold/parser";
import type { PlacedToken } from "./bind-tokens.ts";
import type { Token } from "./compile-template.ts";
import type { Piece } from "./expand-templates.ts";
import type { PromptFile } from "./prompt-file.ts";

/** A place in a file. */
export type FilePlace = Place & { readonly file: string };

/** The sections of a prompt's authored text, found but not yet bound. Offsets count through all pieces. */
export interface PromptLayout {
  /** What the author wrote, templates in place, placeholders unbound. */
  readonly text: string;
  readonly spans: readonly SectionSpan[];
  readonly diagnostics: readonly SectionDiagnostic[];
  /** The author's file, line and column of an offset. */
  readonly locate: (offset: number) => FilePlace;
  /**
   * How the text at an offset came into the prompt: the prompt's use of a template, then that template's use of another, and
   * so on to the one that the text is of; none for the prompt's own text.
   */
  readonly usesAt: (offset: number) => readonly (FilePlace & { readonly raw: string })[];
  /** What events call that place. */
  readonly originOf: (offset: number) => { readonly file: string; readonly line: number };
  /** The tokens of a section's content, in order. */
  readonly tokensOf: (span: SectionSpan) => Iterable<PlacedToken>;
}

/**
 * Splits pieces of authored text into sections. A text without any gives one empty section without a key. Diagnostics
 * name the author's files and lines, also inside templates.
 */
export function layOutPieces(pieces: readonly Piece[]): PromptLayout {
  const { text, spans, problems } = splitSections(pieces.map((piece) => piece.text));
  const starts: number[] = [];
  let start = 0;
  for (const piece of pieces) {
    starts.push(start);
    start += piece.text.length;
  }
  const placeOf = (offset: number): { source: PromptFile; position: Position } => {
    const index = pieceAt(starts, offset);
    const { source, start: inBody } = pieces[index] as Piece;
    const position = source.locate(source.bodyStart + inBody + offset - (starts[index] ?? 0));
    return { source, position };
  };
  const locate = (offset: number): FilePlace => {
    const { source, position } = placeOf(offset);
    return { file: source.file, ...position };
  };
  return {
    text,
    spans: spans.length > 0 ? spans : [{ tagStart: 0, start: 0, end: 0 }],
    diagnostics: problems.map((problem) => describeProblem(problem, locate)),
    locate,
    usesAt: (offset) => {
      const uses: (FilePlace & { readonly raw: string })[] = [];
      for (let use = pieces[pieceAt(starts, offset)]?.usedBy; use !== undefined; use = use.usedBy) {
        const { source, token } = use;
        uses.push({
          file: source.file,
          ...source.locate(source.bodyStart + token.start),
          raw: token.raw,
        });
      }
      return uses.reverse();
    },
    originOf: (offset) => {
      const { source, position } = placeOf(offset);
      return { file: source.originFile, line: position.line };
    },
    tokensOf: (span) => cutTokens(pieces, starts, span),
  };
}

/** The tokens within a section's content, those at its edges cut to it, and entities of literal tags read. */
function* cutTokens(
  pieces: readonly Piece[],
  starts: readonly number[],
  span: SectionSpan,
): Generator<PlacedToken, void, undefined> {
  for (let index = pieceAt(starts, span.start); index < pieces.length; index += 1) {
    const pieceStart = starts[index] ?? 0;
    if (pieceStart >= span.end) return;
    const { source, tokens, start } = pieces[index] as Piece;
    // Places in the joined text, as offsets in this source's body.
    const from = span.start - pieceStart + start;
    const to = span.end - pieceStart + start;
    for (let at = firstEndingAfter(tokens, from); at < tokens.length; at += 1) {
      const token = tokens[at] as Token;
      if (token.start >= to) return;
      if (token.name !== undefined) yield { source, token, text: token.raw };
      else if (token.dollar) yield { source, token, text: "$" };
      else yield cutText(source, token, from, to);
    }
  }
}

function cutText(source: PromptFile, token: Token, from: number, to: number): PlacedToken {
  const cut = Math.max(from - token.start, 0);
  const raw = token.raw.slice(cut, to - token.start);
  const start = token.start + cut;
  return { source, token: { raw, start }, text: unescapeTags(raw, start + raw.length === to) };
}

/** The index of the first token that ends after `offset`; tokens stand one after the other. */
function firstEndingAfter(tokens: readonly Token[], offset: number): number {
  return firstIndex(tokens.length, (index) => {
    const { start, raw } = tokens[index] as Token;
    return start + raw.length > offset;
  });
}

/** The index of the piece that an offset lies in; of several that start there, the last. */
function pieceAt(starts: readonly number[], offset: number): number {
  return Math.max(0, firstIndex(starts.length, (index) => (starts[index] as number) > offset) - 1);
}

/** The first of `count` indexes for which something holds that then holds for all after it; `count` when for none. */
function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
