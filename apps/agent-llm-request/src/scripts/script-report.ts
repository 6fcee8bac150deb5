import { renderSettlement } from "@promptfold/codemode";
import { CONTEXT_ADDED, type ScriptRunSettledPayload } from "@promptfold/contract";
import type { NewEvent } from "@promptfold/journal";

/** A settled script that the model has not been told of. */
export interface ScriptReport {
  readonly payload: ScriptRunSettledPayload;
  readonly settledOffset: number;
  /** Milliseconds between the request's and the settlement's `createdAt`. */
  readonly durationMs: number;
}

/** The developer message about a settled script, or nothing when the script returned no value: the turn ends then. */
export function scriptReportEvents(
  { payload, settledOffset, durationMs }: ScriptReport,
  { stream, limit, idempotencyKey }: { stream: string; limit: number; idempotencyKey: string },
): NewEvent[] {
  const rendered = renderSettlement(payload.settlement, {
    durationMs,
    limit,
    wholeAt: `stored at ${stream}@${settledOffset}`,
  });
  if (rendered.kind === "none") return [];
  const actor = { type: "script", executionId: payload.executionId };
  return [
    { type: CONTEXT_ADDED, payload: { role: "developer", content: rendered.content, actor }, idempotencyKey },
  ];
}
