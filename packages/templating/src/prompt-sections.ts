import { isSectionKey } from "@promptfold/contract";
import {
  describeProblem,
  hashText,
  InvalidSectionKeyError,
  type Place,
  type Section,
  type SectionDiagnostic,
  type SectionSpan,
  SectionSyntaxError,
  splitSections,
  unescapeTags,
} from "@promptfold/parser";
import { bindTokens, type ExplainedSpan, explainTokens, type PlacedToken } from "./bind-tokens.ts";
import type { Token } from "./compile-template.ts";
import type { Piece } from "./expand-templates.ts";
import type { PromptFile } from "./prompt-file.ts";
import { expandPrompt } from "./render-prompt.ts";
import type { Bindings } from "./variables.ts";

/** `fallbackKey` is the key of text outside tags. */
export interface PromptSectionOptions {
  readonly fallbackKey: string;
}

/** A section whose origin is known. */
export type PromptSection = Section & Required<Pick<Section, "origin">>;

/** A section with the source of every part of its content. */
export interface ExplainedSection {
  readonly key: string;
  readonly spans: readonly ExplainedSpan[];
}

/**
 * A prompt file's sections with their values bound: the only path from a file to events. Templates are expanded first, on
 * tokens; then the authored text is split into sections; then values are bound inside each. So no value can create or
 * end a section or be scanned again: values are inert. Each section's `origin` holds the file and line where the author
 * began it, in a template if that is where it stands, and a hash of its authored text.
 *
 * @throws SectionSyntaxError with every fault in the author's files and lines; InvalidSectionKeyError for `fallbackKey`;
 *   InvalidVariableError, TemplateCycleError, PromptTooLargeError
 */
export function promptSections(
  file: PromptFile,
  bindings: Bindings,
  options: PromptSectionOptions,
): PromptSection[] {
  const { sections, diagnostics } = diagnosePromptSections(file, bindings, options);
  if (diagnostics.length > 0) throw new SectionSyntaxError(diagnostics);
  return sections;
}

/** {@link promptSections} with its faults returned; with any, the sections are a guess. */
export function diagnosePromptSections(
  file: PromptFile,
  bindings: Bindings,
  { fallbackKey }: PromptSectionOptions,
): { readonly sections: PromptSection[]; readonly diagnostics: readonly SectionDiagnostic[] } {
  if (!isSectionKey(fallbackKey)) throw new InvalidSectionKeyError(fallbackKey);
  const { pieces, variables } = expandPrompt(file, bindings);
  const layout = layOut(pieces);
  const sections = layout.spans.map((span) => {
    const { file: originFile, line } = layout.locate(span.tagStart);
    return {
      key: span.key ?? fallbackKey,
      content: bindTokens(layout.tokensOf(span), variables, file.file),
      origin: { file: originFile, line, hash: hashText(layout.text.slice(span.start, span.end)) },
    };
  });
  return { sections, diagnostics: layout.diagnostics };
}

/**
 * The sections of {@link promptSections} with the source of every part of their contents.
 *
 * @throws what {@link promptSections} throws
 */
export function explainSections(
  file: PromptFile,
  bindings: Bindings,
  { fallbackKey }: PromptSectionOptions,
): ExplainedSection[] {
  if (!isSectionKey(fallbackKey)) throw new InvalidSectionKeyError(fallbackKey);
  const { pieces, variables } = expandPrompt(file, bindings);
  const layout = layOut(pieces);
  if (layout.diagnostics.length > 0) throw new SectionSyntaxError(layout.diagnostics);
  return layout.spans.map((span) => ({
    key: span.key ?? fallbackKey,
    spans: explainTokens(layout.tokensOf(span), variables),
  }));
}

type FilePlace = Place & { readonly file: string };

interface PromptLayout {
  readonly text: string;
  readonly spans: readonly SectionSpan[];
  readonly diagnostics: readonly SectionDiagnostic[];
  readonly locate: (offset: number) => FilePlace;
  readonly tokensOf: (span: SectionSpan) => Iterable<PlacedToken>;
}

/** Splits pieces of authored text into sections. Offsets count through all pieces. */
function layOut(pieces: readonly Piece[]): PromptLayout {
  const { text, spans, problems } = splitSections(pieces.map((piece) => piece.text));
  const starts: number[] = [];
  let start = 0;
  for (const piece of pieces) {
    starts.push(start);
    start += piece.text.length;
  }
  const locate = (offset: number): FilePlace => {
    const index = lastAtOrBefore(starts, offset);
    const piece = pieces[index] as Piece;
    const { source } = piece;
    const inBody = piece.start + offset - (starts[index] ?? 0);
    return { file: source.file, ...source.locate(source.bodyStart + inBody) };
  };
  return {
    text,
    spans: spans.length > 0 ? spans : [{ tagStart: 0, start: 0, end: 0 }],
    diagnostics: problems.map((problem) => describeProblem(problem, locate)),
    locate,
    tokensOf: (span) => cutTokens(pieces, starts, span),
  };
}

/** The tokens within a section's content, those at its edges cut to it, and entities of literal tags read. */
function* cutTokens(
  pieces: readonly Piece[],
  starts: readonly number[],
  span: SectionSpan,
): Generator<PlacedToken, void, undefined> {
  for (let index = lastAtOrBefore(starts, span.start); index < pieces.length; index += 1) {
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
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { start, raw } = tokens[middle] as Token;
    if (start + raw.length > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The index of the last of the ascending `starts` at or before `offset`. */
function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
