export {
  type ReplayedMessages,
  type ReplayedRequest,
  replayMessages,
  type ReplayMessagesOptions,
  replayRequest,
  type ReplayRequestOptions,
} from "./replay-request.ts";
export {
  type RecordedCall,
  replayCompaction,
  replayCompactionMessages,
  type ReplayCompactionMessagesOptions,
  type ReplayCompactionOptions,
  type ReplayedCompaction,
  type ReplayedCompactionMessages,
  type RereadableEvents,
} from "./replay-compaction.ts";
export {
  type EventPages,
  type EventSource,
  type HistoryChange,
  type ReplayedState,
  replayState,
  type ReplayStateOptions,
} from "./replay-state.ts";
export type { BreakingEvent } from "./find-breaking-events.ts";
export type { CacheLoss } from "./find-cache-loss.ts";
export {
  type ComparableRequest,
  compareRequests,
  type CompareRequestsOptions,
  type FirstDifference,
  type RequestComparison,
} from "./compare-requests.ts";
export { predictCachedTokens } from "./predict-cached-tokens.ts";
export { type ReadSnapshot, readSnapshot, type StateSnapshot, takeSnapshot } from "./snapshot.ts";
export {
  type Counterfactual,
  type CounterfactualOptions,
  renderCounterfactual,
  type RequestCost,
  type RequestSize,
} from "./render-counterfactual.ts";
export { type RuleInForce, rulesInForce } from "./rules-in-force.ts";
export { BodyDoctor } from "./doctor/body-doctor.ts";
export { diagnoseBodies } from "./doctor/diagnose-bodies.ts";
export type { DiagnosedBreak, DiagnoseOptions, Diagnosis, UnreadableBody } from "./doctor/diagnosis.ts";
export type { DiagnosisNote } from "./doctor/notes/diagnosis-notes.ts";
export type { BreakCause, ExplainedCause } from "./doctor/causes/explained-cause.ts";
export { type BreakGroup, groupBreaks } from "./doctor/report/group-breaks.ts";
export { formatDiagnosis, type FormatDiagnosisOptions } from "./doctor/report/format-diagnosis.ts";
export type { BreakPlace, TextExcerpt } from "./doctor/causes/break-place.ts";
export { listBodies, locateBodies, type LocatedBody, unwrapBody } from "./doctor/log/unwrap-body.ts";
export {
  findPrice,
  type InputPrice,
  InvalidPriceTableError,
  moneyLost,
  parsePriceTable,
  type PriceTable,
} from "./doctor/cache/price-table.ts";
export { NoRecordedCallError, OffsetNotFoundError } from "./errors.ts";
