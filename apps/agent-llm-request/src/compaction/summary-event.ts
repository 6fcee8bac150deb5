import { CONTEXT_ADDED, type ContextItem, type EventOf } from "@promptfold/contract";
import { type AgentState, foldEvent } from "@promptfold/fold";
import type { NewEvent } from "@promptfold/journal";
import type { FollowedAgent } from "../agent-handler.ts";
import type { ModelReply } from "../models/model.ts";

/** The last message of a compaction's call. Recorded with each summary, so that a later text changes no earlier call. */
export const SUMMARY_INSTRUCTION: string =
  "This conversation is about to be replaced by a summary, to make room. Write that summary now, and nothing else: " +
  "no script, no reply to anybody. You will go on from it without the messages above; the sections and system messages " +
  "stay and need not be repeated. Keep what was asked for and by whom, what was decided and why, what was done and " +
  "found (names, paths, numbers and identifiers word for word), what failed, and what is still open.";

/** What the model reads above the summary's own words. */
const HEADING = "Summary of the conversation up to here:\n\n";

/** A summary, and the call that brought it. */
export interface Summary {
  /** Offset of the request that was measured, and whose messages the call repeated. */
  readonly requestOffset: number;
  readonly replacesHistoryThrough: number;
  readonly instruction: string;
  /** As they were rendered. */
  readonly model: string;
  readonly mapping: string;
  readonly reply: ModelReply;
}

/** The event that puts a summary in the place of history. `state` is the one that it will be folded into. */
export function summaryEvent(
  summary: Summary,
  { state, offset }: Pick<FollowedAgent, "state" | "offset">,
): NewEvent {
  const { requestOffset, replacesHistoryThrough, instruction, model, mapping, reply } = summary;
  const compaction = {
    replacesHistoryThrough,
    requestOffset,
    instruction,
    model,
    mapping,
    ...(reply.finishReason === undefined ? {} : { finishReason: reply.finishReason }),
    ...(reply.usage === undefined ? {} : { usage: reply.usage }),
  };
  const payload = {
    role: "developer" as const,
    content: HEADING + reply.text,
    actor: { type: "agent" },
    compaction,
  };
  const event: EventOf<typeof CONTEXT_ADDED> = {
    type: CONTEXT_ADDED,
    payload,
    offset: offset + 1,
    createdAt: "",
    trust: "inside",
  };
  const dropped = countDropped(state, foldEvent(state, event));
  return {
    type: CONTEXT_ADDED,
    payload: { ...payload, compaction: { ...compaction, dropped } },
    idempotencyKey: `compact/${requestOffset}`,
  };
}

/** How many items of each kind a compaction takes out of the context: what the fold itself makes of it. */
function countDropped(
  before: AgentState,
  after: AgentState,
): Record<"messages" | "requests" | "sections", number> {
  const old = countItems(before);
  const kept = countItems(after);
  return {
    // One message more: the summary itself.
    messages: old.message - kept.message + 1,
    requests: old.request - kept.request,
    sections: old.section - kept.section,
  };
}

function countItems({ items }: AgentState): Record<ContextItem["kind"], number> {
  const counts = { message: 0, request: 0, section: 0 };
  for (const { kind } of items) counts[kind]++;
  return counts;
}
