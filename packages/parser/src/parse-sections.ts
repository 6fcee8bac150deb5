import { diagnoseSections, type ParseOptions } from "./diagnose-sections.ts";
import { SectionSyntaxError } from "./errors.ts";
import type { Section } from "./section.ts";

/**
 * Parses the section grammar of {@link diagnoseSections} and insists on a faultless text.
 *
 * @throws SectionSyntaxError with every diagnostic
 */
export function parseSections(source: string, options: ParseOptions): readonly Section[] {
  const { sections, diagnostics } = diagnoseSections(source, options);
  if (diagnostics.length > 0) throw new SectionSyntaxError(diagnostics);
  return sections;
}
