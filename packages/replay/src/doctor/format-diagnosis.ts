import type { BreakCause } from "./causes/explained-cause.ts";
import type { TextExcerpt } from "./causes/break-place.ts";
import type { DiagnosedBreak, Diagnosis } from "./diagnosis.ts";
import type { DiagnosisNote, FaultKind } from "./notes/diagnosis-notes.ts";

/** Words for what is wrong, and what to do about it. */
interface Words {
  readonly title: string;
  readonly advice: string;
}

const words: Readonly<Record<BreakCause, Words>> = {
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

const faultWords: Readonly<Record<FaultKind, Words>> = {
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

/** How to write a diagnosis. */
export interface FormatDiagnosisOptions {
  /** Put before amounts of money; `$` by default. */
  readonly currency?: string | undefined;
  /** How a body is named, from its index: `body 3` by default, counted from 1. */
  readonly nameBody?: ((index: number) => string) | undefined;
}

/** A diagnosis as text for a person: each break with place, cause, cost and remedy, then the sums. */
export function formatDiagnosis(diagnosis: Diagnosis, options: FormatDiagnosisOptions = {}): string {
  const { currency = "$", nameBody = (index: number) => `body ${index + 1}` } = options;
  const money = (amount: number): string =>
    amount > 0 && amount < 0.0001
      ? `< ${currency}0.0001`
      : `${currency}${amount.toFixed(amount < 1 ? 4 : 2)}`;
  const blocks = diagnosis.breaks.map((each) => formatBreak(each, nameBody, money));
  const faults = diagnosis.notes.filter(isFaultNote);
  blocks.push(...faults.map((each) => formatFault(each, nameBody, money)));
  for (const { body, reason } of diagnosis.unreadable)
    blocks.push(`${nameBody(body)}: passed over, ${reason}`);
  return [...blocks, formatSums(diagnosis, money)].join("\n\n") + "\n";
}

function isFaultNote(note: DiagnosisNote): note is DiagnosisNote & { readonly kind: FaultKind } {
  return note.isFault && Object.hasOwn(faultWords, note.kind);
}

type Name = (index: number) => string;
type Money = (amount: number) => string;

function formatBreak(found: DiagnosedBreak, name: Name, money: Money): string {
  const { title, advice } = words[found.cause];
  const lines = [
    `${name(found.body)}: ${title} (compared with ${name(found.previous)})`,
    `  what    ${found.detail}`,
  ];
  for (const { cause, detail } of found.also) lines.push(`  also    ${words[cause].title}: ${detail}`);
  const { place } = found;
  if (place !== undefined) {
    lines.push(`  where   ${place.path}, ${place.role}, character ${place.character}, byte ${place.byte}`);
    const excerpts = [
      ["before", place.previous],
      ["now", place.next],
    ] as const;
    for (const [label, block] of excerpts) {
      if (block !== undefined) lines.push(`  ${label.padEnd(7)} ${showExcerpt(block, place.character)}`);
    }
  }
  lines.push(`  lost    ${describeLoss(found, money)}`);
  if (found.servedBy !== undefined) {
    lines.push(
      `  kept    the cache of ${name(found.servedBy)} still serves ${whole(found.sharedTokens ?? 0)} of these tokens`,
    );
  }
  lines.push(`  remedy  ${advice}`);
  return lines.join("\n");
}

/** A note on what costs something. */
function formatFault(
  { kind, detail, first, tokens, money: amount }: DiagnosisNote & { readonly kind: FaultKind },
  name: Name,
  money: Money,
): string {
  const { title, advice } = faultWords[kind];
  const lines = [`${title}${first === undefined ? "" : `, first in ${name(first)}`}`, `  what    ${detail}`];
  if (tokens !== undefined) {
    const cost = amount === undefined ? "" : `, ${money(amount)}`;
    lines.push(
      `  lost    ${whole(tokens)} tokens that were sent before and could have come from the cache${cost}`,
    );
  }
  lines.push(`  remedy  ${advice}`);
  return lines.join("\n");
}

function describeLoss(
  { lostTokens, lostCharacters, sharedTokens, lostMoney, notCached, model }: DiagnosedBreak,
  money: Money,
): string {
  if (lostTokens === undefined || sharedTokens === undefined) {
    return `${lostCharacters} characters that could have come from the cache`;
  }
  if (lostTokens === 0) {
    if (notCached === "unmarked")
      return "nothing: the request before has no cache mark, so nothing of it was cached";
    return sharedTokens > 0
      ? "nothing: all that was cached before can still come from the cache"
      : "nothing: so short a prompt is not cached";
  }
  const cost =
    lostMoney === undefined ? "" : `, ${money(lostMoney)}${model === undefined ? "" : ` on ${model}`}`;
  return `${whole(lostTokens)} of ${whole(lostTokens + sharedTokens)} tokens that could have come from the cache${cost}`;
}

/** The text around a place, on one line, with a mark at the place itself. */
function showExcerpt({ text, cutBefore, cutAfter }: TextExcerpt, character: number): string {
  const at = character - cutBefore;
  const before = onOneLine(text.slice(Math.max(0, at - 30), at));
  const after = onOneLine(text.slice(at, at + 40));
  const isCutAfter = cutAfter > 0 || text.length > at + 40;
  return `${character > 30 ? "…" : ""}${before}▸${after}${isCutAfter ? "…" : ""}`;
}

/** Control characters and halves of characters escaped; all else, quotes too, as it was sent. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, (character) => {
    const short = JSON.stringify(character).slice(1, -1);
    return short.startsWith("\\") ? short : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function formatSums(diagnosis: Diagnosis, money: Money): string {
  const {
    bodies,
    conversations,
    breaks,
    unreadable,
    notes,
    totalTokens,
    reusableTokens,
    lostTokens,
    lostMoney,
    unpricedModels,
  } = diagnosis;
  const parts = [
    `${count(bodies, "body", "bodies")} in ${count(conversations, "conversation", "conversations")}`,
  ];
  const onServer = notes.find(({ kind }) => kind === "history-on-server")?.count ?? 0;
  if (onServer > 0) parts.push(`${onServer} with a history that the server keeps`);
  if (breaks.length > 0) parts.push(count(breaks.length, "break", "breaks"));
  else if (bodies - onServer > conversations) parts.push("no break");
  else if (bodies > 0) parts.push("none goes on from another, so there is nothing to compare");
  if (unreadable.length > 0) parts.push(`${unreadable.length} not readable`);
  const lines = [`${parts.join(", ")}.`];
  if (totalTokens !== undefined && lostTokens !== undefined && reusableTokens !== undefined) {
    const cost = lostMoney === undefined || lostTokens === 0 ? "" : ` (${money(lostMoney)})`;
    // What a fault cost is said with it: the same tokens may be missed for two reasons, so these do not add up.
    const isInFaults = notes.some(({ isFault, tokens = 0 }) => isFault && tokens > 0);
    const lost = `${whole(lostTokens)} lost${isInFaults ? " by breaks" : ""}${cost}`;
    lines.push(
      `${whole(totalTokens)} tokens sent, ${whole(reusableTokens)} of them cacheable as sent, ${lost}.`,
    );
  }
  if (unpricedModels.length > 0) {
    const names = unpricedModels.map((model) => model ?? "a body that names no model");
    lines.push(`No price is known for ${names.join(", ")}: what it lost is not in any amount.`);
  }
  for (const { isFault, detail } of notes) {
    if (!isFault) lines.push(`Note: ${detail}.`);
  }
  return lines.join("\n");
}

/** Tokens as a whole number: a caller's count may be an estimate with fractions. */
function whole(tokens: number): number {
  return Math.round(tokens);
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
