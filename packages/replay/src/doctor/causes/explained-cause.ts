/** Why a prefix broke, as far as two bodies can tell. */
export type BreakCause =
  | "clock"
  | "varying-id"
  | "json-reordered"
  | "tools-reordered"
  | "tools-changed"
  | "system-edited"
  | "history-trimmed"
  | "history-rewritten"
  | "history-summarised"
  | "message-inserted"
  | "tail-replaced"
  | "shape-changed"
  | "media-changed"
  | "model-changed"
  | "settings-changed"
  | "api-changed";

/** A cause with what was seen of it, in one sentence. */
export interface ExplainedCause {
  readonly cause: BreakCause;
  readonly detail: string;
}
