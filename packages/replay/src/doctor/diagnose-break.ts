import { type BodyBlock, compareBodies, type PrefixVerdict } from "@promptfold/renderer";
import { leadLength } from "./bodies/body-content.ts";
import { breakCause, settingsCause } from "./causes/break-cause.ts";
import { toBreakPlace } from "./causes/break-place.ts";
import type { CacheSetting } from "./cache/cache-settings.ts";
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
  found: Found<Sent>,
  served: Served,
  options: DiagnoseOptions,
): DiagnosedBreak | undefined {
  const { body, number, media } = counted.content;
  const { content, counted: before } = found.conversation;
  const verdict = compareBodies(content.body, body);
  // Of a conversation by itself, or one whose history is on the server, the tools and the system text are compared.
  const isAlike = found.kind === "varies" && counted.content.hasLeadOf(content);
  const prefix = isAlike ? undefined : breakCause(content, counted.content, verdict);
  const settings = settingsCause(content.body, body);
  const [main, ...also] = [prefix, settings].filter((each) => each !== undefined);
  if (main === undefined) return undefined;
  const { countTokens } = options;
  const shared = sharedWith(counted, found, verdict, settings?.keeps);
  const { sharedTokens, lostTokens, isServedElsewhere } = shareTokens(counted, before, shared, served);
  const lostCharacters = charactersLost(counted, before, shared);
  // A cut end costs nothing, as long as a cache gives all that is left.
  const isLossless = before.rules.kind === "prefix" ? lostCharacters === 0 : countTokens && lostTokens === 0;
  if (settings === undefined && verdict.break?.kind === "missing" && isLossless === true) return undefined;
  const price = priceOf(counted, options.prices);
  const place = prefix === undefined || verdict.break?.kind === "format" ? undefined : verdict.break;
  return {
    body: number,
    previous: content.number,
    cause: main.cause,
    detail: main.detail,
    also: also.map(({ cause, detail }) => ({ cause, detail })),
    place: place && toBreakPlace(place, content.media.has(place.block) && media.has(place.block)),
    lostCharacters,
    lostTokens: countTokens && lostTokens,
    sharedTokens: countTokens && sharedTokens,
    servedBy: countTokens && isServedElsewhere ? served.by : undefined,
    notCached: countTokens && notCached(before),
    lostMoney: countTokens && price && moneyLost(lostTokens, price),
    model: counted.content.model,
  };
}

/** What a cache may give of an earlier body: whole blocks, and characters of the next one; `end` is what could be shared. */
interface SharedPrefix {
  readonly blocks: number;
  readonly started: number;
  readonly end: number;
}

function sharedWith(
  { content: { body, media } }: CountedBody,
  { kind, conversation: { content } }: Found<Sent>,
  { sharedBlocks, break: found }: PrefixVerdict,
  settingsKeep: CacheSetting["keeps"] | undefined,
): SharedPrefix {
  // Two conversations have no more in common than the tools and the system text.
  const end = kind === "varies" ? content.lead : content.body.blocks.length;
  if (found?.kind === "format" || settingsKeep === "nothing") return { blocks: 0, started: 0, end };
  const lead = leadLength(body.blocks);
  // A setting may take more of the cache away than the place where the texts part.
  if (settingsKeep === "lead" && lead <= sharedBlocks) return { blocks: lead, started: 0, end };
  const isStarted = sharedBlocks < end && !media.has(sharedBlocks) && !content.media.has(sharedBlocks);
  return { blocks: sharedBlocks, started: isStarted ? (found?.character ?? 0) : 0, end };
}

function shareTokens(
  counted: CountedBody,
  before: CountedBody,
  { blocks, started, end }: SharedPrefix,
  served: Served,
): { readonly sharedTokens: number; readonly lostTokens: number; readonly isServedElsewhere: boolean } {
  const total = before.cachedTokens(end);
  const isByPrefix = before.rules.kind === "prefix" && counted.rules.kind === "prefix";
  const startedTokens = isByPrefix && started > 0 ? before.tokensOfStart(blocks, started) : 0;
  const exact = isByPrefix ? before.cacheable(before.tokensThrough(blocks) + startedTokens) : 0;
  const sharedTokens = Math.min(total, Math.max(exact, served.tokens));
  const isServedElsewhere = served.by !== before.content.number && served.tokens > exact && sharedTokens > 0;
  // What is not sent any more costs nothing, either.
  const lostTokens = Math.max(0, Math.min(total, counted.tokens) - sharedTokens);
  return { sharedTokens, lostTokens, isServedElsewhere };
}

function charactersLost(
  { content: { body } }: CountedBody,
  { content: before }: CountedBody,
  { blocks, started, end }: SharedPrefix,
): number {
  const [old, now] = [before.body.blocks.slice(blocks, end), body.blocks.slice(blocks)];
  return Math.max(0, Math.min(lengthOf(old), lengthOf(now)) - started);
}

function notCached(before: CountedBody): DiagnosedBreak["notCached"] {
  if (before.cacheable(before.tokens) === 0) return "too-short";
  return before.written?.length === 0 ? "unmarked" : undefined;
}

function lengthOf(blocks: readonly BodyBlock[]): number {
  return blocks.reduce((length, { text }) => length + text.length, 0);
}
