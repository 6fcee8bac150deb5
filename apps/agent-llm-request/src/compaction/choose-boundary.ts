import { type ContextItem, isCompaction } from "@promptfold/contract";
import { type AgentState, isReplaced } from "@promptfold/fold";
import { replyOffsetOf } from "../scripts/execution-id.ts";

/** What a boundary depends on. */
export interface BoundaryQuestion {
  /** The state right after the request opened that the summary is made of. */
  readonly sent: AgentState;
  /** The state that the summary would be folded into; `sent` grew into it. */
  readonly now: AgentState;
  /** Scripts that ended and whose result is not in the context yet, by name. */
  readonly unreported: Iterable<string>;
}

/** A reply with a script, and where the result stands; Infinity while it is to come. */
interface ScriptedReply {
  readonly reply: number;
  readonly result: number;
}

/**
 * Through which offset a summary may replace history: as far as the request sent it, but a reply and the result of its
 * script stay on one side. So what stays begins with the first reply whose result came later or is still to come, and
 * with the newest reply that was sent, unless its result was sent too or another request opened since: nobody may have
 * read it yet. Undefined where the summary would replace nothing but an earlier one, or where an earlier one would stay
 * behind it: it tells of things that came before what this one tells of.
 */
export function chooseBoundary({ sent, now, unreported }: BoundaryQuestion): number | undefined {
  if (sent.openRequest === null) return undefined;
  let through = sent.openRequest.offset;
  // From the newest on, since moving the boundary before one reply may bring it between another one and its result.
  for (const { reply, result } of scriptedReplies({ sent, now, unreported })) {
    if (reply <= through && through < result) through = reply - 1;
  }
  let replacesMessages = false;
  for (const item of now.items) {
    if (item.kind !== "message") continue;
    const goes = isReplaced(item, through);
    if (!isCompaction(item.payload)) replacesMessages ||= goes;
    else if (!goes) return undefined;
  }
  return replacesMessages ? through : undefined;
}

/** Every reply with a script in the context, the newest first. */
function scriptedReplies({ sent, now, unreported }: BoundaryQuestion): ScriptedReply[] {
  const replies: ScriptedReply[] = [];
  for (const item of now.items) {
    const reply = answeredReply(item);
    if (reply !== undefined) replies.push({ reply, result: item.offset });
  }
  for (const executionId of [...now.scripts.keys(), ...unreported]) {
    const reply = replyOffsetOf(executionId);
    if (reply !== undefined) replies.push({ reply, result: Infinity });
  }
  const newest = newestReply(sent);
  // A reply counts as read once two requests were opened after it.
  const isRead = newest !== undefined && requestsAfter(newest, now) > 1;
  if (!isRead && newest !== undefined && !replies.some(({ reply }) => reply === newest)) {
    replies.push({ reply: newest, result: Infinity });
  }
  return replies.sort((a, b) => b.reply - a.reply);
}

function newestReply({ items }: AgentState): number | undefined {
  for (let position = items.length - 1; position >= 0; position--) {
    const item = items.at(position);
    if (item.kind === "message" && item.payload.llmRequestOffset !== undefined) return item.offset;
  }
  return undefined;
}

function requestsAfter(offset: number, { items }: AgentState): number {
  let count = 0;
  for (const item of items) if (item.kind === "request" && item.offset > offset) count++;
  return count;
}

/** Offset of the reply whose script an item is the result of. */
function answeredReply(item: ContextItem): number | undefined {
  if (item.kind !== "message" || item.outside === true) return undefined;
  return replyOffsetOf(item.payload.actor?.["executionId"]);
}
