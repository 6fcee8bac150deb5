import { CLAUDE_MAX_MARKS } from "@promptfold/renderer";
import type { BodyContent } from "../bodies/body-content.ts";
import { cachedContentFields } from "../cache/cache-settings.ts";
import type { CountedBody, CountOptions } from "../cache/counted-body.ts";
import { moneyLost, priceOf, type PriceTable } from "../cache/price-table.ts";
import type { Served } from "../cache/provider-cache.ts";
import {
  billingLineDetail,
  cachedContentDetail,
  cacheKeyDetail,
  mediaDetail,
  memoryDetail,
  onServerDetail,
  outOfReachDetail,
  responsesDetail,
  tokenCountsDetail,
  tooManyMarksDetail,
  unmarkedDetail,
} from "./note-details.ts";

/** Notes that may tell of a fault. */
export type FaultKind = "no-cache-marks" | "marks-out-of-reach" | "too-many-marks" | "cache-key-changed";

/** What stands in a log and is no request. */
export type LeftOutKind = "token-counts" | "responses";

/** What bodies say besides their breaks. */
export interface DiagnosisNote {
  /**
   * `no-cache-marks`: an API that caches at marks alone was sent bodies without one. `marks-out-of-reach`: bodies repeat
   * what was cached, and have no mark that finds it. `too-many-marks`: more than Anthropic takes. `cache-key-changed`:
   * conversations went on under another `prompt_cache_key`. `history-on-server`: bodies go on from messages that are not
   * in the log. `cached-content`: bodies begin with what Gemini keeps. `billing-line`: Claude Code's, passed over.
   * `token-counts`: calls that only count tokens, left out. `responses`: what models answered, left out.
   * `media-estimated`: tokens of images, sound and files are an estimate. `memory-full`: there was more than is held at a
   * time, so something may have been missed.
   */
  readonly kind:
    | FaultKind
    | "history-on-server"
    | "cached-content"
    | "billing-line"
    | LeftOutKind
    | "media-estimated"
    | "memory-full";
  /** Whether it costs something that need not be. */
  readonly isFault: boolean;
  /** What was seen, in one or two sentences. */
  readonly detail: string;
  /** How many bodies it is about (conversations, of `memory-full`), and the first of them. */
  readonly count: number;
  readonly first: number | undefined;
  /** Tokens that marks would have given from the cache, or that were estimated; undefined of what none are known. */
  readonly tokens: number | undefined;
  /** What the tokens cost more than cached ones. */
  readonly money: number | undefined;
}

/** What was too much to hold: how many conversations' texts, and whether prefixes in the cache. */
interface LetGo {
  readonly letGo: number;
  readonly hasLetGoPrefixes: boolean;
}

/** How many bodies something is about, and what it cost: no tokens where that cannot be known. */
interface Tally {
  count: number;
  first: number | undefined;
  tokens: number | undefined;
  money: number | undefined;
}

const newTally = (tokens?: number): Tally => ({ count: 0, first: undefined, tokens, money: undefined });

/** Gathers what bodies say besides their breaks. */
export class DiagnosisNotes {
  readonly #options: CountOptions & { readonly prices?: PriceTable | undefined };
  readonly #unmarked = newTally(0);
  readonly #outOfReach = newTally(0);
  readonly #tooManyMarks = newTally();
  readonly #cacheKey = newTally();
  readonly #onServer = newTally();
  readonly #cachedContent = newTally();
  readonly #billing = newTally();
  readonly #leftOut: Readonly<Record<LeftOutKind, Tally>> = {
    "token-counts": newTally(),
    responses: newTally(),
  };
  readonly #media = newTally(0);
  readonly #unpriced = new Set<string | undefined>();
  #billingLine: string | undefined;
  #billingVaries = false;
  #mediaCount = 0;
  #linked = 0;
  #tooShort = 0;
  #minimum = 0;

  constructor(options: CountOptions & { readonly prices?: PriceTable | undefined }) {
    this.#options = options;
  }

  /** Models without a price, of bodies that marks would have made cheaper. */
  get unpricedModels(): ReadonlySet<string | undefined> {
    return this.#unpriced;
  }

  /** `serve` says what the cache would have given of the body, had it marks. */
  add(body: CountedBody, serve: () => Served): void {
    const { content, rules, written } = body;
    this.#addMedia(content);
    this.#addBillingLine(content);
    if (hasCachedContent(content)) tally(this.#cachedContent, content.number);
    if (rules.kind !== "marks" || written === undefined) return;
    if (written.length === 0) this.#addUnmarked(body, serve());
    // The AI SDK leaves out by itself what is too much.
    else if (written.length > CLAUDE_MAX_MARKS && content.body.format !== "ai-sdk")
      tally(this.#tooManyMarks, content.number);
  }

  /** A body that goes on from the one before, whether it begins with all of that or not. */
  addContinuation(before: CountedBody, { content, rules }: CountedBody): void {
    if (rules.kind === "marks") return;
    if (cacheKey(before.content) !== cacheKey(content)) tally(this.#cacheKey, content.number);
  }

  /** A body that begins with all of the one before, and gets less from the cache than that one left there. */
  addExtension(before: CountedBody, body: CountedBody, served: Served): void {
    const missed = before.cachedTokens(Infinity) - served.tokens;
    if (body.rules.kind !== "marks" || missed <= 0) return;
    tally(this.#outOfReach, body.content.number);
    this.#addLoss(this.#outOfReach, body, missed);
  }

  addContinuedOnServer({ number }: BodyContent, isLinked: boolean): void {
    tally(this.#onServer, number);
    if (isLinked) this.#linked++;
  }

  /** A line of the log that is no request. */
  addLeftOut(kind: LeftOutKind, number: number): void {
    tally(this.#leftOut[kind], number);
  }

  list({ letGo, hasLetGoPrefixes }: LetGo): DiagnosisNote[] {
    const { countTokens } = this.#options;
    const [unmarked, outOfReach, onServer] = [this.#unmarked, this.#outOfReach, this.#onServer];
    // One request by itself, or requests that have nothing in common, would gain nothing from marks.
    const wouldGain = countTokens === undefined ? unmarked.count > 1 : (unmarked.tokens ?? 0) > 0;
    const short = unmarkedDetail(unmarked.count, this.#tooShort, this.#minimum);
    const { "token-counts": counts, responses } = this.#leftOut;
    const letGoTally = { ...newTally(), count: letGo };
    return [
      this.#note("no-cache-marks", unmarked, short, wouldGain),
      this.#note("marks-out-of-reach", outOfReach, outOfReachDetail(outOfReach.count), true),
      this.#note("too-many-marks", this.#tooManyMarks, tooManyMarksDetail(this.#tooManyMarks.count), true),
      this.#note("cache-key-changed", this.#cacheKey, cacheKeyDetail(this.#cacheKey.count), true),
      this.#note("history-on-server", onServer, onServerDetail(onServer.count, this.#linked)),
      this.#note("cached-content", this.#cachedContent, cachedContentDetail(this.#cachedContent.count)),
      this.#billingVaries
        ? this.#note("billing-line", this.#billing, billingLineDetail(this.#billing.count))
        : [],
      this.#note("token-counts", counts, tokenCountsDetail(counts.count)),
      this.#note("responses", responses, responsesDetail(responses.count)),
      this.#note("media-estimated", this.#media, mediaDetail(this.#media.count, this.#mediaCount)),
      letGo > 0 || hasLetGoPrefixes
        ? this.#write("memory-full", letGoTally, memoryDetail(letGo, hasLetGoPrefixes))
        : [],
    ].flat();
  }

  #note(kind: DiagnosisNote["kind"], counted: Tally, detail: string, isFault = false): DiagnosisNote[] {
    return counted.count === 0 ? [] : [this.#write(kind, counted, detail, isFault)];
  }

  #write(kind: DiagnosisNote["kind"], counted: Tally, detail: string, isFault = false): DiagnosisNote {
    const { count, first, tokens, money } = counted;
    const counts = this.#options.countTokens !== undefined;
    return { kind, isFault, detail, count, first, tokens: counts ? tokens : undefined, money };
  }

  #addMedia(content: BodyContent): void {
    if (content.media.size === 0) return;
    tally(this.#media, content.number);
    for (const { list } of content.media.values()) {
      this.#mediaCount += list.length;
      for (const { tokens } of list) this.#media.tokens = (this.#media.tokens ?? 0) + tokens;
    }
  }

  #addBillingLine({ billingLine, number }: BodyContent): void {
    if (billingLine === undefined) return;
    tally(this.#billing, number);
    this.#billingLine ??= billingLine;
    this.#billingVaries ||= this.#billingLine !== billingLine;
  }

  #addUnmarked(body: CountedBody, served: Served): void {
    tally(this.#unmarked, body.content.number);
    if (this.#options.countTokens !== undefined && body.tokens < body.minimumTokens) {
      this.#tooShort++;
      this.#minimum = body.minimumTokens;
    }
    this.#addLoss(this.#unmarked, body, served.tokens);
  }

  #addLoss(to: Tally, body: CountedBody, tokens: number): void {
    to.tokens = (to.tokens ?? 0) + tokens;
    if (tokens === 0) return;
    const price = priceOf(body, this.#options.prices);
    if (price === undefined) this.#unpriced.add(body.content.model);
    else to.money = (to.money ?? 0) + moneyLost(tokens, price);
  }
}

function tally(to: Tally, number: number): void {
  to.count++;
  to.first ??= number;
}

function cacheKey({ body }: BodyContent): string {
  return body.settings.get("prompt_cache_key") ?? "null";
}

function hasCachedContent({ body }: BodyContent): boolean {
  return cachedContentFields.some((name) => (body.settings.get(name) ?? "null") !== "null");
}
