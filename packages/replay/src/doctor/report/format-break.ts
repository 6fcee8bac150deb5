import type { TextExcerpt } from "../causes/break-place.ts";
import type { DiagnosedBreak } from "../diagnosis.ts";
import { breakWords } from "./diagnosis-words.ts";

/** How what a diagnosis has by number is written for a person. */
export interface Wording {
  /** A body, from its index. */
  readonly name: (index: number) => string;
  readonly money: (amount: number) => string;
}

/** One break with place, cause, cost and remedy. */
export function formatBreak(found: DiagnosedBreak, { name, money }: Wording): string {
  const { title, advice } = breakWords[found.cause];
  const lines = [
    `${name(found.body)}: ${title} (compared with ${name(found.previous)})`,
    `  what    ${found.detail}`,
  ];
  for (const { cause, detail } of found.also) lines.push(`  also    ${breakWords[cause].title}: ${detail}`);
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

function describeLoss(
  { lostTokens, lostCharacters, sharedTokens, lostMoney, notCached, model }: DiagnosedBreak,
  money: Wording["money"],
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

/** Tokens as a whole number: a caller's count may be an estimate with fractions. */
export function whole(tokens: number): number {
  return Math.round(tokens);
}
