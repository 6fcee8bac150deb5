import { CLAUDE_LOOK_BACK_BLOCKS } from "@promptfold/renderer";
import type { BodyContent } from "./bodies/body-content.ts";
import type { CountedBody, CountOptions } from "./cache/counted-body.ts";
import { moneyLost, priceOf, type PriceTable } from "./cache/price-table.ts";
import type { Served } from "./cache/provider-cache.ts";

/** Notes that may tell of a fault. */
export type FaultKind = "no-cache-marks" | "marks-out-of-reach";

/** What bodies say besides their breaks. */
export interface DiagnosisNote {
  /**
   * `no-cache-marks`: an API that caches at marks alone was sent bodies without one. `marks-out-of-reach`: bodies repeat
   * what was cached, and have no mark that finds it. `history-on-server`: bodies go on
   * from messages that are not in the log. `media-estimated`: tokens of images, sound and files are an estimate.
   * `memory-full`: there was more than is held at a time, so something may have been missed.
   */
  readonly kind: FaultKind | "history-on-server" | "media-estimated" | "memory-full";
  /** Whether it costs something that need not be. */
  readonly isFault: boolean;
  /** What was seen, in one or two sentences. */
  readonly detail: string;
  /** How many bodies it is about (conversations, of `memory-full`), and the first of them. */
  readonly count: number;
  readonly first: number | undefined;
  /** Tokens that marks would have given from the cache, or that were estimated. */
  readonly tokens: number | undefined;
  /** What the tokens cost more than cached ones. */
  readonly money: number | undefined;
}

/** What was too much to hold: how many conversations' texts, and whether prefixes in the cache. */
interface LetGo {
  readonly letGo: number;
  readonly hasLetGoPrefixes: boolean;
}

interface Tally {
  count: number;
  first: number | undefined;
  tokens: number;
  money: number | undefined;
}

const newTally = (): Tally => ({ count: 0, first: undefined, tokens: 0, money: undefined });

/** Gathers what bodies say besides their breaks. */
export class DiagnosisNotes {
  readonly #options: CountOptions & { readonly prices?: PriceTable | undefined };
  readonly #unmarked = newTally();
  readonly #outOfReach = newTally();
  readonly #onServer = newTally();
  readonly #media = newTally();
  readonly #unpriced = new Set<string | undefined>();
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
    if (content.media.size > 0) {
      this.#media.tokens += countMedia(content);
      tally(this.#media, content.number);
      for (const { list } of content.media.values()) this.#mediaCount += list.length;
    }
    if (rules.kind !== "marks" || written === undefined || written.length > 0) return;
    const served = serve();
    tally(this.#unmarked, content.number);
    if (this.#options.countTokens !== undefined && body.tokens < body.minimumTokens) {
      this.#tooShort++;
      this.#minimum = body.minimumTokens;
    }
    this.#addLoss(this.#unmarked, body, served.tokens);
  }

  /** A body that begins with all of the one before, and gets less from the cache than that one left there. */
  addExtension(before: CountedBody, body: CountedBody, served: Served): void {
    const missed = before.cachedTokens(Infinity) - served.tokens;
    if (body.rules.kind !== "marks" || missed <= 0) return;
    tally(this.#outOfReach, body.content.number);
    this.#addLoss(this.#outOfReach, body, missed);
  }

  #addLoss(to: Tally, body: CountedBody, tokens: number): void {
    to.tokens += tokens;
    if (tokens === 0) return;
    const price = priceOf(body, this.#options.prices);
    if (price === undefined) this.#unpriced.add(body.content.model);
    else to.money = (to.money ?? 0) + moneyLost(tokens, price);
  }

  addContinuedOnServer({ number }: BodyContent, isLinked: boolean): void {
    tally(this.#onServer, number);
    if (isLinked) this.#linked++;
  }

  #shortDetail(count: number): string {
    if (this.#tooShort === 0) return "";
    const which = this.#tooShort < count ? `; ${this.#tooShort} of them` : count === 1 ? "; it" : "; they";
    const are = count === 1 || (this.#tooShort === 1 && count > 1) ? "is" : "are";
    return `${which} ${are} too short to be cached with marks, too (fewer than ${this.#minimum} tokens)`;
  }

  list({ letGo, hasLetGoPrefixes }: LetGo): DiagnosisNote[] {
    return [
      this.#unmarkedNote(),
      this.#outOfReachNote(),
      this.#onServerNote(),
      this.#mediaNote(),
      letGo > 0 || hasLetGoPrefixes
        ? this.#note(
            "memory-full",
            { ...newTally(), count: letGo },
            memoryDetail({ letGo, hasLetGoPrefixes }),
          )
        : undefined,
    ].filter((note) => note !== undefined);
  }

  #note(
    kind: DiagnosisNote["kind"],
    { count, first, tokens, money }: Tally,
    detail: string,
    isFault = false,
  ): DiagnosisNote {
    const counts = this.#options.countTokens !== undefined;
    return { kind, isFault, detail, count, first, tokens: counts ? tokens : undefined, money };
  }

  #unmarkedNote(): DiagnosisNote | undefined {
    const { count, tokens } = this.#unmarked;
    if (count === 0) return undefined;
    const detail = `${bodies(count)} to Claude ${has(count)} no \`cache_control\`: Anthropic caches nothing of ${count === 1 ? "it" : "them"}, unless something between adds marks${this.#shortDetail(count)}`;
    // One request by itself, or requests that have nothing in common, would gain nothing from marks.
    const isFault = this.#options.countTokens === undefined ? count > 1 : tokens > 0;
    return this.#note("no-cache-marks", this.#unmarked, detail, isFault);
  }

  #outOfReachNote(): DiagnosisNote | undefined {
    const { count } = this.#outOfReach;
    if (count === 0) return undefined;
    const detail = `${bodies(count)} ${count === 1 ? "begins" : "begin"} with what was cached, and ${has(count)} no mark at most ${CLAUDE_LOOK_BACK_BLOCKS} blocks behind it: Anthropic looks no further back`;
    return this.#note("marks-out-of-reach", this.#outOfReach, detail, true);
  }

  #onServerNote(): DiagnosisNote | undefined {
    const { count } = this.#onServer;
    if (count === 0) return undefined;
    const linked =
      this.#linked === 0 ? "" : `; ${this.#linked} could be linked by the identifiers of responses`;
    const detail = `${bodies(count)} ${count === 1 ? "goes" : "go"} on from a history that the server keeps (\`previous_response_id\` or \`conversation\`): it is not in the log, so it can be neither checked nor counted${linked}`;
    return this.#note("history-on-server", this.#onServer, detail);
  }

  #mediaNote(): DiagnosisNote | undefined {
    const { count } = this.#media;
    if (count === 0) return undefined;
    const isOne = this.#mediaCount === 1;
    const what = isOne ? "1 image, clip or file" : `${this.#mediaCount} images, clips or files`;
    const detail = `${what} in ${bodies(count)} ${isOne ? "is" : "are"} counted by an estimate, and compared as ${isOne ? "a whole" : "wholes"}`;
    return this.#note("media-estimated", this.#media, detail);
  }
}

function tally(to: Tally, number: number): void {
  to.count++;
  to.first ??= number;
}

function countMedia({ media }: BodyContent): number {
  let tokens = 0;
  for (const { list } of media.values()) for (const each of list) tokens += each.tokens;
  return tokens;
}

function memoryDetail({ letGo, hasLetGoPrefixes }: LetGo): string {
  const parts: string[] = [];
  if (letGo > 0) {
    parts.push(
      `the texts of conversations were let go ${letGo} times: one that goes on exactly where it stood is still found, a break in one counts as a new conversation`,
    );
  }
  if (hasLetGoPrefixes) parts.push("prompts that were sent long ago may count as not cacheable");
  return `there was more than is held in memory at a time; ${parts.join("; ")}`;
}

function bodies(count: number): string {
  return count === 1 ? "1 body" : `${count} bodies`;
}

function has(count: number): string {
  return count === 1 ? "has" : "have";
}
