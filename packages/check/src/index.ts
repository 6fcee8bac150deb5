export { explainOutside } from "./advise-undefined.ts";
export { checkPaths, type CheckOptions } from "./check-paths.ts";
export { loadTokenCounter, type TokenCounter } from "./count-tokens.ts";
export { CheckPathError, CheckUsageError } from "./errors.ts";
export { type CheckResult, type Finding, type FindingCode, type Severity } from "./finding.ts";
export { countFindings, formatGithub, formatJson, formatText } from "./format-findings.ts";
export { main } from "./main.ts";
export {
  CHECK_FORMATS,
  type CheckFormat,
  type CheckProcess,
  requireWatchable,
  runCheck,
  type RunCheckOptions,
} from "./run-check.ts";
export { findPrompts, findRoots, type PlaceOptions, type PromptGroup } from "./find-prompts.ts";
export { watchFiles, type WatchFilesOptions } from "./watch-files.ts";
export { watchPaths, type WatchOptions } from "./watch-paths.ts";
