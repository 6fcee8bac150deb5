import type { DiagnosedBreak, Diagnosis, UnreadableBody } from "../diagnosis.ts";
import { faultWords } from "./diagnosis-words.ts";
import { formatBreak, whole, type Wording } from "./format-break.ts";
import { formatCauses } from "./format-causes.ts";
import { collectAlike } from "./group-breaks.ts";
import type { DiagnosisNote, FaultKind } from "../notes/diagnosis-notes.ts";

/** How to write a diagnosis. */
export interface FormatDiagnosisOptions {
  /** Put before amounts of money; `$` by default. */
  readonly currency?: string | undefined;
  /** How a body is named, from its index: `body 3` by default, counted from 1. */
  readonly nameBody?: ((index: number) => string) | undefined;
  /**
   * How many breaks of one cause at one kind of place are told, and how many bodies are named that are unreadable for
   * one reason; a line says how many more there are. At least 1, 3 by default; `Infinity` tells each.
   */
  readonly maxAlike?: number | undefined;
  /** How to see what `maxAlike` leaves out, such as "`--all` tells each"; by default nothing is said of that. */
  readonly howToSeeAll?: string | undefined;
}

/**
 * A diagnosis as text for a person: breaks with place, cause, cost and remedy, the first of each kind; what they come to
 * by cause and place, worst first, where there is more than one; then the sums.
 */
export function formatDiagnosis(diagnosis: Diagnosis, options: FormatDiagnosisOptions = {}): string {
  const { currency = "$", nameBody = (index: number) => `body ${index + 1}`, howToSeeAll } = options;
  const { maxAlike = 3 } = options;
  const money = (amount: number): string =>
    amount > 0 && amount < 0.0001
      ? `< ${currency}0.0001`
      : `${currency}${amount.toFixed(amount < 1 ? 4 : 2)}`;
  const limit: Limit = { maxAlike: maxAlike >= 1 ? maxAlike : 1, hint: howToSeeAll && `; ${howToSeeAll}` };
  const wording: Wording = { name: nameBody, money };
  const blocks = formatBreaks(diagnosis.breaks, wording, limit);
  const faults = diagnosis.notes.filter(isFaultNote);
  blocks.push(...faults.map((each) => formatFault(each, wording)));
  blocks.push(...formatUnreadable(diagnosis.unreadable, wording, limit));
  if (diagnosis.breaks.length > 1) blocks.push(formatCauses(diagnosis.breaks, wording));
  return [...blocks, formatSums(diagnosis, money)].join("\n\n") + "\n";
}

/** How much is told of what is alike. */
interface Limit {
  readonly maxAlike: number;
  /** Said after how many more there are. */
  readonly hint: string | undefined;
}

/** The first breaks of each kind, in the order in which they came. */
function formatBreaks(
  breaks: readonly DiagnosedBreak[],
  wording: Wording,
  { maxAlike, hint = "" }: Limit,
): string[] {
  const more = new Map<DiagnosedBreak, string>();
  for (const group of collectAlike(breaks)) {
    for (const each of group.slice(0, maxAlike)) more.set(each, "");
    const [last, next] = group.slice(maxAlike - 1, maxAlike + 1);
    if (last === undefined || next === undefined) continue;
    const left = count(group.length - maxAlike, "more break", "more breaks");
    more.set(last, `\n  alike   ${left}, the next in ${wording.name(next.body)}${hint}`);
  }
  return breaks.flatMap((each) => {
    const alike = more.get(each);
    return alike === undefined ? [] : [formatBreak(each, wording) + alike];
  });
}

/** Each reason once, with the first bodies that have it; what of a reason quotes the body aside. */
function formatUnreadable(
  unreadable: readonly UnreadableBody[],
  { name }: Wording,
  { maxAlike, hint = "" }: Limit,
): string[] {
  const groups = new Map<string, [UnreadableBody, ...UnreadableBody[]]>();
  for (const each of unreadable) {
    const [reason = ""] = each.reason.split("(", 1);
    const group = groups.get(reason);
    if (group === undefined) groups.set(reason, [each]);
    else group.push(each);
  }
  return [...groups.values()].map(([{ body, reason }, ...others]) => {
    const first = `${name(body)}: passed over, ${reason}`;
    if (others.length === 0) return first;
    const named = others.slice(0, maxAlike - 1).map((each) => name(each.body));
    const left = others.length - named.length;
    if (left === 0) return `${first}\n  alike   ${named.join(", ")}`;
    return `${first}\n  alike   ${[...named, `${left} more`].join(", ")}${hint}`;
  });
}

function isFaultNote(note: DiagnosisNote): note is DiagnosisNote & { readonly kind: FaultKind } {
  return note.isFault && Object.hasOwn(faultWords, note.kind);
}

/** A note on what costs something. */
function formatFault(
  { kind, detail, first, tokens, money: amount }: DiagnosisNote & { readonly kind: FaultKind },
  { name, money }: Wording,
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

function formatSums(diagnosis: Diagnosis, money: Wording["money"]): string {
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

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
