import {
  AGENT_CONFIGURED,
  AGENT_CREATED,
  AGENT_PAUSED,
  AGENT_RESUMED,
  CONTEXT_ADDED,
  type ContextAddedPayload,
  CONTEXT_REWRITTEN,
  isCompaction,
  type KnownEvent,
  LLM_REQUEST_REQUESTED,
  LLM_REQUEST_SETTLED,
  parseEvent,
  SCRIPT_RUN_REQUESTED,
  SCRIPT_RUN_SETTLED,
  type ScriptSettlement,
  type StoredEvent,
  SUMMARY_UPDATED,
  TOKEN_USAGE_REPORTED,
} from "@promptfold/contract";
import { oneLine } from "../terminal/one-line.ts";
import { formatCount } from "./format-count.ts";

/** What an event says, on one line of at most `width` characters. */
export function summarizeEvent(stored: StoredEvent, width = 100): string {
  const parsed = parseEvent(stored);
  if (parsed.kind === "known") return oneLine(summarize(parsed.event), width);
  const issue = parsed.kind === "malformed" ? parsed.issues[0] : undefined;
  const what = issue === undefined ? "unknown type, skipped" : `malformed, skipped: ${issue.message}`;
  return oneLine(`(${what}) ${JSON.stringify(stored.payload)}`, width);
}

/** Who appended an event: the processor that the journal stamped, else the actor that the payload names. */
export function eventAuthor({ source, payload }: StoredEvent): string {
  if (source !== undefined) return oneLine(source.processor, 40);
  const actor = (payload as { actor?: { type?: unknown } } | null)?.actor?.type;
  return typeof actor === "string" ? oneLine(actor, 40) : "";
}

function summarize(event: KnownEvent): string {
  switch (event.type) {
    case AGENT_CREATED:
      return "the agent is born";
    case AGENT_CONFIGURED:
      return Object.entries(event.payload.config).map(summarizeSetting).join(", ");
    case CONTEXT_ADDED:
      return summarizeContext(event.payload);
    case CONTEXT_REWRITTEN:
      return `${event.payload.op} ${event.payload.key === "*" ? "everything" : event.payload.key}`;
    case LLM_REQUEST_REQUESTED:
      return `a request to model ${event.payload.model}, mapping ${event.payload.mapping ?? "as configured"}`;
    case LLM_REQUEST_SETTLED:
      return `request @${event.payload.requestOffset} ${event.payload.result.status}`;
    case TOKEN_USAGE_REPORTED: {
      const { requestOffset, inputTokens, outputTokens } = event.payload;
      return `request @${requestOffset}: ${formatCount(inputTokens, "token")} in, ${formatCount(outputTokens)} out`;
    }
    case SUMMARY_UPDATED:
      return JSON.stringify(event.payload);
    case AGENT_PAUSED:
    case AGENT_RESUMED: {
      const what = event.type === AGENT_PAUSED ? "paused" : "resumed";
      return event.payload.reason === undefined ? what : `${what}: ${event.payload.reason}`;
    }
    case SCRIPT_RUN_REQUESTED:
      return `script: ${typeof event.payload["status"] === "string" ? event.payload["status"] : event.payload.code}`;
    case SCRIPT_RUN_SETTLED:
      return summarizeSettlement(event.payload.settlement);
  }
}

function summarizeSetting([key, value]: [string, unknown]): string {
  if (value === null) return `${key} removed`;
  return `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

function summarizeContext(payload: ContextAddedPayload): string {
  const { role, content, key } = payload;
  if (key !== undefined) return `section ${key}, ${formatCount(content.split("\n").length, "line")}`;
  return `${isCompaction(payload) ? "summary" : role}: ${content.slice(0, 1_000)}`;
}

function summarizeSettlement(settlement: ScriptSettlement): string {
  if (settlement.status !== "succeeded") return `script ${settlement.status}: ${settlement.error}`;
  return settlement.result === undefined
    ? "the script returned nothing"
    : `the script returned ${JSON.stringify(settlement.result)}`;
}
