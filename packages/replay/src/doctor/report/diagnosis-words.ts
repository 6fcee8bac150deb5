import type { BreakCause } from "../causes/explained-cause.ts";
import type { FaultKind } from "../notes/diagnosis-notes.ts";

/** Words for what is wrong, and what to do about it. */
export interface Words {
  readonly title: string;
  readonly advice: string;
}

/** Of each cause of a break. */
export const breakWords: Readonly<Record<BreakCause, Words>> = {
  clock: {
    title: "a clock in the prompt",
    advice:
      "Keep times out of what is sent again; append the current time as a new message at the end instead.",
  },
  "varying-id": {
    title: "an identifier that changes",
    advice:
      "Take request ids, trace ids and temporary paths out of the prompt, or append them at the end; send a tool call again with the identifier that it had.",
  },
  "json-reordered": {
    title: "the same JSON, written differently",
    advice:
      "Serialise deterministically, with the keys in one order and the same white space, or keep the bytes that were sent.",
  },
  "tools-reordered": {
    title: "tools in another order",
    advice: "Sort the tools by name, or keep the list in a fixed order: they come before everything else.",
  },
  "tools-changed": {
    title: "another set of tools",
    advice: "Keep one set of tools for a whole conversation; say in a message which of them may be used now.",
  },
  "system-edited": {
    title: "the system text was edited",
    advice: "Leave it as it was sent, and append what is new as a later message.",
  },
  "history-trimmed": {
    title: "history was trimmed",
    advice: "Trim rarely and much at once (compaction), not a little with every request (a sliding window).",
  },
  "history-rewritten": {
    title: "history was rewritten",
    advice:
      "Send earlier messages with the same bytes again; shorten a result when it is first sent, not later.",
  },
  "history-summarised": {
    title: "history was replaced by a summary",
    advice:
      "Each summary is paid for with the cache: make one rarely, of much at once, and leave it as it is from then on.",
  },
  "message-inserted": {
    title: "a message was put in before earlier ones",
    advice: "Append new context after what was sent, in the order in which it came.",
  },
  "tail-replaced": {
    title: "the last message was replaced",
    advice: "Keep reminders and status lines that were sent once; a new one comes after them.",
  },
  "shape-changed": {
    title: "a message changed its form",
    advice:
      "Leave the parts of a message as they were sent: what comes later goes into a message of its own.",
  },
  "media-changed": {
    title: "another image or file",
    advice:
      "Send what was sent once with the same bytes again: encode or scale an image once and keep the result.",
  },
  "model-changed": {
    title: "another model",
    advice:
      "Each model has a cache of its own: stay with one for a conversation, or start a side conversation.",
  },
  "settings-changed": {
    title: "a setting that empties the cache",
    advice: "Keep output formats, tool choice and thinking settings the same for a whole conversation.",
  },
  "api-changed": {
    title: "another API",
    advice: "A conversation that moves between APIs starts with an empty cache each time.",
  },
};

/** Of each note on what costs something. */
export const faultWords: Readonly<Record<FaultKind, Words>> = {
  "no-cache-marks": {
    title: "no cache marks",
    advice:
      "Set `cache_control` on the last system block and on the newest message, or on the request as a whole.",
  },
  "marks-out-of-reach": {
    title: "cache marks out of reach",
    advice: "Leave a mark where the request before had its last one, beside the one on the newest message.",
  },
  "too-many-marks": {
    title: "too many cache marks",
    advice:
      "Keep four at most: the end of the system text, where the request before had its last one, and the newest message.",
  },
  "cache-key-changed": {
    title: "another prompt_cache_key",
    advice:
      "Derive the key from the agent or the conversation, and send the same one with each of its requests.",
  },
};
