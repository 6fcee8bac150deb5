import { type ConsoleOutput, renderSettlement } from "@promptfold/codemode";
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
    console: consoleOutput(payload),
  });
  if (rendered.kind === "none") return [];
  const actor = { type: "script", executionId: payload.executionId };
  return [
    { type: CONTEXT_ADDED, payload: { role: "developer", content: rendered.content, actor }, idempotencyKey },
  ];
}

/** The console lines that this loop's scripts leave in their settlements; another's may leave none. */
function consoleOutput(payload: ScriptRunSettledPayload): ConsoleOutput | undefined {
  const { logs, omittedLogLines } = payload;
  if (!Array.isArray(logs)) return undefined;
  const lines = logs.map((line: unknown) => (isLine(line) ? line.text : ""));
  return { lines, omittedLines: typeof omittedLogLines === "number" ? omittedLogLines : 0 };
}

function isLine(line: unknown): line is { readonly text: string } {
  return typeof line === "object" && line !== null && "text" in line && typeof line.text === "string";
}
