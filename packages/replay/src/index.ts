export { replayRequest, type ReplayedRequest, type ReplayRequestOptions } from "./replay-request.ts";
export {
  type EventPages,
  type HistoryChange,
  type ReplayedState,
  replayState,
  type ReplayStateOptions,
} from "./replay-state.ts";
export {
  type ComparableRequest,
  compareRequests,
  type CompareRequestsOptions,
  type FirstDifference,
  type RequestComparison,
} from "./compare-requests.ts";
export { type RuleInForce, rulesInForce } from "./rules-in-force.ts";
export { OffsetNotFoundError } from "./errors.ts";
