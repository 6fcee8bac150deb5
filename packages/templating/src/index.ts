export { type ExplainedSpan } from "./bind-tokens.ts";
export { compileTemplate, type Token } from "./compile-template.ts";
export {
  type Activity,
  type ActivityContext,
  activityContext,
  facetContext,
} from "./context/activity-context.ts";
export { CONTEXT_NAMES } from "./context/context-names.ts";
export { type DayContext, dayContext, nowContext, todayContext } from "./context/day-context.ts";
export { type SegmentContext, segmentContext } from "./context/segment-context.ts";
export { type ConfigDiagnosis, type ConfigFault, diagnoseConfig } from "./diagnose-config.ts";
export { diagnoseFences, type FenceDiagnostic } from "./diagnose-fences.ts";
export {
  FrontmatterError,
  ArgumentTypeError,
  InvalidMetadataError,
  InvalidVariableError,
  PromptTooLargeError,
  TemplateCycleError,
  type VariableProblem,
} from "./errors.ts";
export { explainConfig, faultPath, type MetadataIssue } from "./explain-metadata.ts";
export { type DuplicateKey, findDuplicateKeys } from "./duplicate-keys.ts";
export { expandTemplates, type Piece, type TemplateUse } from "./expand-templates.ts";
export { type FrontmatterBlock } from "./find-frontmatter.ts";
export { explainInexact, findInexactJson, type InexactNumber } from "./inexact-number.ts";
export { flattenIdentity } from "./identity.ts";
export { listUses, type VariableUse } from "./list-uses.ts";
export { findMalformedPlaceholders, type MalformedPlaceholder } from "./malformed-placeholders.ts";
export { inputTypes, type PromptInputs } from "./input-types.ts";
export { metadataJsonSchemas } from "./metadata-json-schema.ts";
export {
  checkMetadata,
  type InputDeclaration,
  inputDeclarations,
  type MetadataSource,
  promptKind,
  type PromptKind,
  requestParameters,
  tokenBudget,
} from "./metadata.ts";
export {
  Frontmatter,
  type InputDeclarations,
  type InputType,
  JournalConfig,
  METADATA_FIELDS,
  TokenBudget,
} from "./metadata-schema.ts";
export { type FilePlace, layOutPieces, type PromptLayout } from "./lay-out-pieces.ts";
export { createFieldLocator, type FieldPath, type FieldPlace, locateField } from "./locate-field.ts";
export { createNameHints, nearestName } from "./nearest-name.ts";
export { openingTagLength } from "./opening-tag-length.ts";
export { parsePromptFile, type PromptFile } from "./prompt-file.ts";
export {
  diagnosePromptSections,
  type ExplainedSection,
  explainSections,
  type PromptSection,
  promptSections,
  type PromptSectionOptions,
} from "./prompt-sections.ts";
export {
  createMemberLocator,
  duplicateMembers,
  explainDuplicate,
  explainJsonFault,
  type JsonFault,
  type JsonReading,
  readJson,
} from "./read-json.ts";
export { type Metadata } from "./read-frontmatter.ts";
export { explainPrompt, renderPrompt } from "./render-prompt.ts";
export { listVariables, substitute, type Value, type Values } from "./substitute.ts";
export { explainUnusableName, type UnusableName, unusableNames } from "./unusable-names.ts";
export {
  createVariableHints,
  type HintSources,
  type VariableHint,
  type VariableHints,
} from "./variable-hints.ts";
export { asVariableName, explainName, isVariableName } from "./variable-name.ts";
export { type NameSources, variableNames } from "./variable-names.ts";
export {
  type Bindings,
  bindVariables,
  type BoundVariables,
  diagnoseVariables,
  type Templates,
  type Tier,
  upperFirstName,
  type Variable,
} from "./variables.ts";
