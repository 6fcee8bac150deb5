import type { BreakCause } from "../causes/explained-cause.ts";
import type { DiagnosedBreak } from "../diagnosis.ts";

/** Breaks of one cause at one kind of place, which one change to an agent mends. */
export interface BreakGroup {
  readonly cause: BreakCause;
  /** What was seen, where it is the same sentence for each of them. */
  readonly detail: string | undefined;
  /** Where they stand: the same path for each, or what the paths have in common, such as `messages[…]` or `tools`. */
  readonly path: string | undefined;
  /** Whose text it is, where that is the same for each of them; undefined for causes that move with the history. */
  readonly role: string | undefined;
  readonly count: number;
  /** Which body brings the first of them, from 0. */
  readonly first: number;
  /** Sums over the breaks: over all groups those of the diagnosis. Undefined where no break has the number. */
  readonly lostCharacters: number;
  readonly lostTokens: number | undefined;
  readonly lostMoney: number | undefined;
  /** What else changed in the same bodies, and in how many of them. */
  readonly also: readonly { readonly cause: BreakCause; readonly count: number }[];
}

/**
 * What breaks come to by cause and place, worst first: by money where each loss has a price, or else by tokens, or by
 * characters. The first two messages of a body are places of their own, as standing text is kept there; later ones are
 * one place for each role, and one altogether for causes that move with the history (a sliding window, a last message
 * that is replaced).
 */
export function groupBreaks(breaks: readonly DiagnosedBreak[]): BreakGroup[] {
  const isPriced = breaks.every(
    ({ lostTokens = 0, lostMoney }) => lostTokens === 0 || lostMoney !== undefined,
  );
  return worstFirst(collectAlike(breaks).map(summarise), isPriced);
}

/** The breaks of each group, groups and breaks in the order in which they came. */
export function collectAlike(breaks: readonly DiagnosedBreak[]): DiagnosedBreak[][] {
  const groups = new Map<string, DiagnosedBreak[]>();
  for (const found of breaks) {
    const key = JSON.stringify([found.cause, placeKey(found), detailKey(found)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [found]);
    else group.push(found);
  }
  return [...groups.values()];
}

/** Causes whose place is wherever the history has come to. */
const moving: ReadonlySet<BreakCause> = new Set([
  "history-trimmed",
  "history-summarised",
  "message-inserted",
  "tail-replaced",
  "shape-changed",
]);

/** Causes that all tools have in common. */
const ofAllTools: ReadonlySet<BreakCause> = new Set(["tools-changed", "tools-reordered"]);

function placeKey({ cause, place }: DiagnosedBreak): readonly string[] {
  if (place === undefined) return [];
  const { path, role } = place;
  if (moving.has(cause) || ofAllTools.has(cause)) return [listOf(path)];
  const index = /^(?:messages|input|contents)\[(\d+)\]/.exec(path)?.[1];
  return [index !== undefined && Number(index) > 1 ? listOf(path) : path, role];
}

/** What tells apart breaks of one cause that have remedies of their own: which setting, whose identifier. */
function detailKey({ cause, detail }: DiagnosedBreak): string {
  return cause === "settings-changed" || cause === "varying-id" ? detail.replace(/\[\d+\]/g, "") : "";
}

/** The list that a path begins with, `messages[…]`; tools have names or numbers in theirs. */
function listOf(path: string): string {
  const [root = path] = /^[^.[]+/.exec(path) ?? [];
  return path.startsWith(`${root}[`) && root !== "tools" ? `${root}[…]` : root;
}

function summarise(group: readonly DiagnosedBreak[]): BreakGroup {
  const [first] = group;
  if (first === undefined) throw new Error("a group has at least one break");
  const also = new Map<BreakCause, number>();
  for (const each of group) {
    for (const { cause } of each.also) also.set(cause, (also.get(cause) ?? 0) + 1);
  }
  const paths = new Set(group.map(({ place }) => place?.path));
  return {
    cause: first.cause,
    detail: common(group.map(({ detail }) => detail)),
    path: paths.size === 1 || first.place === undefined ? first.place?.path : listOf(first.place.path),
    // What stands now where a message was gone is anybody's.
    role: moving.has(first.cause) ? undefined : common(group.map(({ place }) => place?.role)),
    count: group.length,
    first: first.body,
    lostCharacters: sum(group.map(({ lostCharacters }) => lostCharacters)) ?? 0,
    lostTokens: sum(group.map(({ lostTokens }) => lostTokens)),
    lostMoney: sum(group.map(({ lostMoney }) => lostMoney)),
    also: [...also].map(([cause, count]) => ({ cause, count })),
  };
}

function common<T>(values: readonly T[]): T | undefined {
  return values.every((value) => value === values[0]) ? values[0] : undefined;
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}

function worstFirst(groups: readonly BreakGroup[], isPriced: boolean): BreakGroup[] {
  return [...groups].sort(
    (a, b) =>
      (isPriced ? (b.lostMoney ?? 0) - (a.lostMoney ?? 0) : 0) ||
      (b.lostTokens ?? 0) - (a.lostTokens ?? 0) ||
      b.lostCharacters - a.lostCharacters ||
      b.count - a.count ||
      a.first - b.first,
  );
}
