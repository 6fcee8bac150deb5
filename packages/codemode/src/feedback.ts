import type { RejectedReply } from "./reply.ts";

/** How a reply should look, for the end of every feedback. */
export interface ReplyForm {
  /** What the reply may hold once, such as `` `<codemode>` tag``. */
  script: string;
  /** An example, with the sentence that introduces it. */
  example: string;
}

/** A reply that its length limit cut off. */
export function rejectTruncated(): RejectedReply {
  return {
    kind: "truncated",
    feedback:
      "Your reply reached the length limit and was cut off, so nothing in it was run. " +
      "Send a shorter reply: less prose, and a script that does less at once.",
  };
}

/** A reply with more than one script; the places are indexes of lines. */
export function rejectMultiple(places: readonly number[], form: ReplyForm): RejectedReply {
  const shown = places.slice(0, 5).map((place) => place + 1);
  const more = places.length > shown.length ? ` and ${places.length - shown.length} more` : "";
  const where = `on ${shown.length > 1 ? "lines" : "line"} ${shown.join(", ")}${more}`;
  return {
    kind: "multiple",
    feedback:
      `Your reply holds more than one ${form.script}, ${where}, so nothing in it was run. ` +
      `Put everything into one, or send one and wait for its result. ${form.example}`,
  };
}

/** A reply whose line at this index is wrong; the problem completes "line 3 …". */
export function rejectMalformed(place: number, problem: string, form: ReplyForm): RejectedReply {
  return {
    kind: "malformed",
    feedback: `Nothing in your reply was run: line ${place + 1} ${problem}. ${form.example}`,
  };
}
