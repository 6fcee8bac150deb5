import { isSectionKey } from "@promptfold/contract";
import {
  hashText,
  InvalidSectionKeyError,
  type Section,
  type SectionDiagnostic,
  SectionSyntaxError,
} from "@promptfold/parser";
import { bindTokens, type ExplainedSpan, explainTokens } from "./bind-tokens.ts";
import { layOutPieces } from "./lay-out-pieces.ts";
import type { PromptFile } from "./prompt-file.ts";
import { expandPrompt } from "./render-prompt.ts";
import type { Bindings } from "./variables.ts";

/** `fallbackKey` is the key of text outside tags. */
export interface PromptSectionOptions {
  readonly fallbackKey: string;
}

/** A section whose origin is known. */
export type PromptSection = Section & { readonly origin: NonNullable<Section["origin"]> };

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
  const layout = layOutPieces(pieces);
  const sections = layout.spans.map((span) => ({
    key: span.key ?? fallbackKey,
    content: bindTokens(layout.tokensOf(span), variables, file.file),
    origin: { ...layout.originOf(span.tagStart), hash: hashText(layout.text.slice(span.start, span.end)) },
  }));
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
  const layout = layOutPieces(pieces);
  if (layout.diagnostics.length > 0) throw new SectionSyntaxError(layout.diagnostics);
  return layout.spans.map((span) => ({
    key: span.key ?? fallbackKey,
    spans: explainTokens(layout.tokensOf(span), variables),
  }));
}
