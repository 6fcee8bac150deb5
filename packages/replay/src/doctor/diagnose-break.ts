import { compareBodies } from "@promptfold/renderer";
import { leadLength } from "./bodies/body-content.ts";
import { breakCause, settingsCause } from "./causes/break-cause.ts";
import { toBreakPlace } from "./causes/break-place.ts";
import type { CountedBody } from "./cache/counted-body.ts";
import type { DiagnosedBreak, DiagnoseOptions } from "./diagnosis.ts";
import type { Found, Remembered } from "./conversations/find-conversation.ts";
import { moneyLost, priceOf } from "./cache/price-table.ts";
import type { Served } from "./cache/provider-cache.ts";

/** A body that was sent, as far as the next one is compared with it. */
export interface Sent extends Remembered {
  readonly counted: CountedBody;
}

/** Why a body does not begin with the one that it continues, and what that costs; undefined when it does. */
export function diagnoseBreak(
  counted: CountedBody,
  { kind, conversation }: Found<Sent>,
  served: Served,
  options: DiagnoseOptions,
): DiagnosedBreak | undefined {
  const { body, number, media } = counted.content;
  const { content, counted: before } = conversation;
  const previous = content.body;
  const verdict = compareBodies(previous, body);
  const prefix = breakCause(content, counted.content, verdict);
  const settings = settingsCause(previous, body);
  const [main, ...also] = [prefix, settings].filter((each) => each !== undefined);
  if (main === undefined) return undefined;
  const isOtherApi = verdict.break?.kind === "format";
  // A setting may take more of the cache away than the place where the texts part.
  const settingsKeep =
    settings === undefined ? Infinity : settings.keeps === "nothing" ? 0 : leadLength(body.blocks);
  const isCut = isOtherApi || (settingsKeep <= verdict.sharedBlocks && settings !== undefined);
  const kept = isOtherApi ? 0 : isCut ? settingsKeep : verdict.sharedBlocks;
  // Two conversations have no more in common than the tools and the system text.
  const end = kind === "varies" ? content.lead : previous.blocks.length;
  const isStarted = !isCut && kept < end && !media.has(kept) && !content.media.has(kept);
  const started = isStarted ? (verdict.break?.character ?? 0) : 0;
  const total = before.cachedTokens(end);
  const isByPrefix = before.rules.kind === "prefix" && counted.rules.kind === "prefix";
  const exact = isByPrefix
    ? before.cacheable(before.tokensThrough(kept) + (started === 0 ? 0 : before.tokensOfStart(kept, started)))
    : 0;
  const isServedElsewhere = served.by !== content.number && served.tokens > exact;
  const sharedTokens = Math.min(total, Math.max(exact, served.tokens));
  const lostTokens = total - sharedTokens;
  const price = priceOf(counted, options.prices);
  const { countTokens } = options;
  const place =
    verdict.break !== undefined && prefix !== undefined && !isOtherApi ? verdict.break : undefined;
  return {
    body: number,
    previous: content.number,
    cause: main.cause,
    detail: main.detail,
    also: also.map(({ cause, detail }) => ({ cause, detail })),
    place: place && toBreakPlace(place, content.media.has(place.block) && media.has(place.block)),
    lostCharacters: sum(previous.blocks.slice(kept, end).map(({ text }) => text.length)) - started,
    lostTokens: countTokens && lostTokens,
    sharedTokens: countTokens && sharedTokens,
    servedBy: countTokens && isServedElsewhere && sharedTokens > 0 ? served.by : undefined,
    notCached: countTokens && notCached(before),
    lostMoney: countTokens && price && moneyLost(lostTokens, price),
    model: counted.content.model,
  };
}

function notCached(before: CountedBody): DiagnosedBreak["notCached"] {
  if (before.cacheable(before.tokens) === 0) return "too-short";
  return before.written?.length === 0 ? "unmarked" : undefined;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
