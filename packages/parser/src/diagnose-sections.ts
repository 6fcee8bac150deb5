import { isSectionKey } from "@promptfold/contract";
import { createLocator } from "./create-locator.ts";
import { describeProblem, type SectionDiagnostic } from "./diagnostic.ts";
import { InvalidSectionKeyError } from "./errors.ts";
import { unescapeTags } from "./escape-tags.ts";
import { normalizeText } from "./normalize-text.ts";
import type { Section } from "./section.ts";
import { splitSections } from "./split-sections.ts";

/** `fallbackKey` is the key of text outside tags. */
export interface ParseOptions {
  readonly fallbackKey: string;
}

/** What was found in a text. With any diagnostic, `sections` is a guess and must not be used as a prompt. */
export interface DiagnosedSections {
  readonly sections: readonly Section[];
  readonly diagnostics: readonly SectionDiagnostic[];
}

/**
 * Parses the section grammar and reports every fault, in file order. CRLF is read as LF and a byte-order mark dropped.
 * Text outside tags becomes a section with `fallbackKey`, once per run that is not blank; a blank text gives one empty
 * fallback section. Linear in the input, whatever it is.
 *
 * @throws InvalidSectionKeyError when `fallbackKey` may not name a section
 */
export function diagnoseSections(source: string, { fallbackKey }: ParseOptions): DiagnosedSections {
  if (!isSectionKey(fallbackKey)) throw new InvalidSectionKeyError(fallbackKey);
  const { text, spans, problems } = splitSections([normalizeText(source)]);
  const sections = spans.map((span) => ({
    key: span.key ?? fallbackKey,
    content: unescapeTags(text.slice(span.start, span.end)),
  }));
  if (sections.length === 0) sections.push({ key: fallbackKey, content: "" });
  const locate = createLocator(text);
  return { sections, diagnostics: problems.map((problem) => describeProblem(problem, locate)) };
}
