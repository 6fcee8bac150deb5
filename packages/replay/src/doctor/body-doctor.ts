import { type BodyFormat, readBody, type ReadBody, UnreadableBodyError } from "@promptfold/renderer";
import { BodyContent, isOtherwiseRead } from "./bodies/body-content.ts";
import { BoundedMap } from "./bounded-map.ts";
import { ConversationMemory } from "./conversations/conversation-memory.ts";
import { BodyCounter } from "./cache/counted-body.ts";
import { diagnoseBreak, type Sent } from "./diagnose-break.ts";
import type { DiagnosedBreak, DiagnoseOptions, Diagnosis, UnreadableBody } from "./diagnosis.ts";
import { DiagnosisNotes } from "./notes/diagnosis-notes.ts";
import { findConversation, type Found } from "./conversations/find-conversation.ts";
import { parsePriceTable } from "./cache/price-table.ts";
import { ProviderCache, type Served } from "./cache/provider-cache.ts";
import { findResponseId, previousResponseId } from "./bodies/response-id.ts";
import { isCountAddress, TokenCounts } from "./bodies/token-counts.ts";
import { type LoggedBody, readLogged } from "./bodies/unwrap-body.ts";
import { unreadableReason } from "./bodies/unreadable-reason.ts";
import { FirstBodies } from "./bodies/first-bodies.ts";

/** The newest body of one conversation. */
interface Conversation extends Sent {
  /** Breaks that are none once a body begins with this one. */
  readonly doubts: readonly Doubt[];
  /** How many times more the very same body was sent: each may be the beginning of another conversation. */
  readonly copies: number;
}

interface Doubt {
  readonly found: DiagnosedBreak;
  /** Whether the body that seemed to break this conversation has one of its own then. */
  readonly isOfAnother: boolean;
}

/** How many bodies are remembered by the identifiers of their responses, to compare what is sent with each request. */
const MAX_ANSWERED = 64;
/** How many identifiers of responses are remembered. */
const MAX_RESPONSES = 100_000;

/** Diagnoses bodies as `diagnoseBodies` does, but one at a time: for files that do not fit into memory. */
export class BodyDoctor {
  readonly #options: DiagnoseOptions;
  readonly #counter: BodyCounter;
  #cache = new ProviderCache();
  #memory = new ConversationMemory<Conversation>();
  #notes: DiagnosisNotes;
  #breaks = new Set<DiagnosedBreak>();
  #unreadable: UnreadableBody[] = [];
  #answered = new BoundedMap<string, Conversation>(MAX_ANSWERED);
  #responses = new BoundedMap<string, true>(MAX_RESPONSES);
  readonly #tokenCounts = new TokenCounts();
  #first = new FirstBodies();
  #seen = 0;
  #leftOut = 0;
  #conversationCount = 0;
  #totalTokens = 0;
  #reusableTokens = 0;

  /** @throws InvalidPriceTableError (`invalid-price-table`) for prices that would make a loss a gain */
  constructor(options: DiagnoseOptions = {}) {
    if (options.prices !== undefined) parsePriceTable(options.prices);
    this.#options = options;
    this.#counter = new BodyCounter(options);
    this.#notes = new DiagnosisNotes(options);
  }

  /**
   * Takes the next body; gives the break that it brings, if it brings one. A later body may show that it was none, as it
   * goes on exactly where the conversation stood before it, or as earlier bodies only counted tokens: then `diagnosis`
   * has it no more.
   */
  add(raw: unknown): DiagnosedBreak | undefined {
    const index = this.#seen++;
    const logged = readLogged(raw);
    const read = isCountAddress(logged.url) ? undefined : this.#read(logged, index);
    if (!this.#first.add(raw, read)) this.#tokenCounts.keepEarlier();
    const call = read === undefined ? undefined : this.#tokenCounts.tell(logged, read);
    if (call === "request-after-counts") return this.#startAnew();
    if (isCountAddress(logged.url) || call === "count") this.#leaveOut(index);
    if (read === undefined || call === "count") return undefined;
    const { content, candidates } = this.#agree(new BodyContent(read, index));
    const counted = this.#counter.count(content);
    const served = this.#cache.send(counted, index);
    this.#totalTokens += counted.tokens;
    this.#notes.add(counted, () => this.#cache.sendUnmarked(counted, index));
    const next: Conversation = { content, counted, isSteady: false, isSpare: false, doubts: [], copies: 0 };
    const response = findResponseId(raw);
    const found = content.isContinuedOnServer
      ? this.#continueOnServer(next, served)
      : this.#continue(next, served, candidates);
    if (response !== undefined) {
      this.#responses.set(response, true);
      this.#answered.set(response, next);
    }
    if (found !== undefined) this.#breaks.add(found);
    return found;
  }

  /** What the bodies so far say. */
  get diagnosis(): Diagnosis {
    const { countTokens, prices } = this.#options;
    const breaks = [...this.#breaks];
    const counts = countTokens !== undefined;
    const priced = breaks.flatMap(({ lostMoney }) => (lostMoney === undefined ? [] : [lostMoney]));
    const unpriced = breaks
      .filter(({ lostTokens = 0, lostMoney }) => lostTokens > 0 && lostMoney === undefined)
      .map(({ model }) => model);
    return {
      bodies: this.#seen - this.#unreadable.length - this.#leftOut,
      conversations: this.#conversationCount,
      breaks,
      unreadable: [...this.#unreadable],
      notes: this.#notes.list({ letGo: this.#memory.letGo, hasLetGoPrefixes: this.#cache.hasLetGo }),
      totalTokens: counts ? this.#totalTokens : undefined,
      reusableTokens: counts ? this.#reusableTokens : undefined,
      lostTokens: counts ? sum(breaks.map(({ lostTokens }) => lostTokens ?? 0)) : undefined,
      lostMoney: priced.length === 0 ? undefined : sum(priced),
      unpricedModels: prices === undefined ? [] : [...new Set([...unpriced, ...this.#notes.unpricedModels])],
    };
  }

  #read({ body, model }: LoggedBody, index: number): ReadBody | undefined {
    const { format } = this.#options;
    try {
      const reason = unreadableReason(body, format);
      if (reason === undefined) {
        const read = readBody(body, format);
        if (model === undefined || read.settings.has("model")) return read;
        return { ...read, settings: new Map(read.settings).set("model", JSON.stringify(model)) };
      }
      this.#unreadable.push({ body: index, reason });
    } catch (error) {
      if (!UnreadableBodyError.isInstance(error)) throw error;
      this.#unreadable.push({ body: index, reason: error.message });
    }
    return undefined;
  }

  /** Leaves out a call that only counts tokens. */
  #leaveOut(index: number): void {
    this.#leftOut++;
    this.#notes.addTokenCount(index);
  }

  /** Takes the bodies so far once more, now that some of them are known to be no requests. */
  #startAnew(): DiagnosedBreak | undefined {
    const { list } = this.#first;
    [this.#cache, this.#memory, this.#notes] = [
      new ProviderCache(),
      new ConversationMemory(),
      new DiagnosisNotes(this.#options),
    ];
    [this.#breaks, this.#unreadable, this.#first] = [new Set(), [], new FirstBodies()];
    [this.#answered, this.#responses] = [new BoundedMap(MAX_ANSWERED), new BoundedMap(MAX_RESPONSES)];
    [this.#seen, this.#leftOut, this.#conversationCount] = [0, 0, 0];
    [this.#totalTokens, this.#reusableTokens] = [0, 0];
    let found: DiagnosedBreak | undefined;
    for (const raw of list) found = this.add(raw);
    return found;
  }

  /**
   * A body in the format of the conversations that begin like it, and those in the format of the body, where one of
   * them shows whose API it speaks and the other may be of that API, too; and the conversations that it may belong to.
   */
  #agree(content: BodyContent): {
    readonly content: BodyContent;
    readonly candidates: readonly Conversation[];
  } {
    const candidates = this.#memory.candidates(content);
    const others = candidates.filter(({ content: other }) => isOtherwiseRead(other, content));
    if (others.length === 0) return { content, candidates };
    const shown = others.find(({ content: { body } }) => body.formats.length === 1);
    const format = content.body.formats.length === 1 ? content.body.format : shown?.content.body.format;
    const agreed =
      format === undefined || format === content.body.format ? content : content.inFormat(format);
    for (const each of others)
      if (isOtherwiseRead(each.content, agreed)) this.#reread(each, agreed.body.format);
    return { content: agreed, candidates: this.#memory.candidates(agreed) };
  }

  /** Puts a conversation in the place of itself, as it is in another format; what its newest body left in the cache, too. */
  #reread(conversation: Conversation, format: BodyFormat): void {
    const content = conversation.content.inFormat(format);
    const counted = this.#counter.count(content);
    this.#cache.send(counted, content.number);
    this.#memory.replace(conversation, { ...conversation, content, counted });
  }

  #continue(
    next: Conversation,
    served: Served,
    candidates: readonly Conversation[],
  ): DiagnosedBreak | undefined {
    const { content, counted } = next;
    const match = findConversation(candidates, content);
    const isKnown = match?.kind === "extends" || match?.kind === "continues";
    if (match === undefined || (!isKnown && this.#memory.hasTrace(content))) {
      if (!this.#memory.takeTrace(content)) this.#conversationCount++;
      this.#reusableTokens += served.tokens;
      this.#memory.remember(next);
      return undefined;
    }
    const { conversation, kind } = match;
    if (isKnown) this.#notes.addContinuation(conversation.counted, counted);
    const found = diagnoseBreak(counted, match, served, this.#options);
    this.#follow(match, { ...next, isSteady: kind === "extends" }, found);
    if (kind === "extends" && found === undefined)
      this.#notes.addExtension(conversation.counted, counted, served);
    const whole = found === undefined && counted.rules.kind === "prefix" && kind === "extends";
    const atLeast = whole ? conversation.counted.cachedTokens(Infinity) : (found?.sharedTokens ?? 0);
    this.#reusableTokens += Math.max(served.tokens, atLeast);
    return found;
  }

  /** A body with no more than the newest messages: its history cannot be compared, what stands before that can. */
  #continueOnServer(next: Conversation, served: Served): DiagnosedBreak | undefined {
    const { content, counted } = next;
    this.#reusableTokens += served.tokens;
    const id = previousResponseId(content);
    this.#notes.addContinuedOnServer(content, id !== undefined && this.#responses.get(id) !== undefined);
    const before = id === undefined ? undefined : this.#answered.get(id);
    if (before === undefined || content.hasLeadOf(before.content)) return undefined;
    return diagnoseBreak(counted, { kind: "varies", conversation: before }, served, this.#options);
  }

  /** Puts a body in the place of the one that it continues, or beside it. */
  #follow(
    { kind, conversation }: Found<Conversation>,
    next: Conversation,
    found: DiagnosedBreak | undefined,
  ): void {
    const { isSteady, isSpare, doubts, copies } = conversation;
    const isMore = next.content.body.blocks.length > conversation.content.body.blocks.length;
    if (kind === "extends" && !isMore) {
      this.#memory.forget(conversation);
      this.#memory.remember({ ...next, isSteady, isSpare, doubts, copies: copies + 1 });
      return;
    }
    if (kind === "extends") this.#withdraw(doubts);
    if (kind === "continues" || found === undefined) {
      this.#memory.forget(conversation);
      if (isSpare) this.#conversationCount++;
      this.#memory.remember(next);
      if (copies > 0) {
        this.#memory.rememberSpare({ ...conversation, isSpare: true, doubts: [], copies: copies - 1 });
      }
    } else {
      // A side question to another model, or with other settings, leaves the conversation where it stood.
      const isOfAnother = kind === "takes-over" || kind === "extends";
      const doubt = { found, isOfAnother };
      if (!isOfAnother) this.#conversationCount++;
      const kept = kind === "extends" ? [] : doubts.slice(-1);
      this.#memory.replace(conversation, { ...conversation, doubts: [...kept, doubt] });
      this.#memory.remember({ ...next, doubts: isOfAnother ? [] : [doubt] });
    }
  }

  #withdraw(doubts: readonly Doubt[]): void {
    for (const { found, isOfAnother } of doubts) {
      if (this.#breaks.delete(found) && isOfAnother) this.#conversationCount++;
    }
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
