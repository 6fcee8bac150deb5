export { createLocator, type Position } from "./create-locator.ts";
export { diagnoseSections, type DiagnosedSections, type ParseOptions } from "./diagnose-sections.ts";
export { describeProblem, formatPlace, type Place, type SectionDiagnostic } from "./diagnostic.ts";
export { DuplicateSectionKeyError, InvalidSectionKeyError, SectionSyntaxError } from "./errors.ts";
export { escapeTags, unescapeTags } from "./escape-tags.ts";
export { findNearTags, type NearTag } from "./find-near-tags.ts";
export { hashJson, hashText } from "./hash-json.ts";
export { normalizeText } from "./normalize-text.ts";
export { parseSections } from "./parse-sections.ts";
export { sectionEvents, type SectionEvent, type SectionEventOptions } from "./section-events.ts";
export { type Section } from "./section.ts";
export { serializeSections } from "./serialize-sections.ts";
export {
  type SectionLayout,
  type SectionProblem,
  type SectionProblemCode,
  type SectionSpan,
  splitSections,
} from "./split-sections.ts";
export { updateEvents } from "./update-events.ts";
export { trimContent } from "./trim-content.ts";
