import { readBody, type ReadBody, UnreadableBodyError } from "@promptfold/renderer";
import { BodyContent } from "./bodies/body-content.ts";
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
import { unwrapBody } from "./bodies/unwrap-body.ts";
import { unreadableReason } from "./bodies/unreadable-reason.ts";

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
  readonly #cache = new ProviderCache();
  readonly #memory = new ConversationMemory<Conversation>();
  readonly #notes: DiagnosisNotes;
  readonly #breaks = new Set<DiagnosedBreak>();
  readonly #unreadable: UnreadableBody[] = [];
  readonly #answered = new BoundedMap<string, Conversation>(MAX_ANSWERED);
  readonly #responses = new BoundedMap<string, true>(MAX_RESPONSES);
  #seen = 0;
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
   * Takes the next body; gives the break that it brings, if it brings one. A later body may show that it was none,
   * as it goes on exactly where the conversation stood before it: then `diagnosis` has it no more.
   */
  add(raw: unknown): DiagnosedBreak | undefined {
    const index = this.#seen++;
    const read = this.#read(raw, index);
    if (read === undefined) return undefined;
    const content = new BodyContent(read, index);
    const counted = this.#counter.count(content);
    const served = this.#cache.send(counted, index);
    this.#totalTokens += counted.tokens;
    this.#notes.add(counted, () => this.#cache.sendUnmarked(counted, index));
    const next: Conversation = { content, counted, isSteady: false, isSpare: false, doubts: [], copies: 0 };
    const response = findResponseId(raw);
    const found = content.isContinuedOnServer
      ? this.#continueOnServer(next, served)
      : this.#continue(next, served);
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
      bodies: this.#seen - this.#unreadable.length,
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

  #read(raw: unknown, index: number): ReadBody | undefined {
    try {
      const body = unwrapBody(raw);
      const reason = unreadableReason(body, this.#options.format);
      if (reason === undefined) return readBody(body, this.#options.format);
      this.#unreadable.push({ body: index, reason });
    } catch (error) {
      if (!UnreadableBodyError.isInstance(error)) throw error;
      this.#unreadable.push({ body: index, reason: error.message });
    }
    return undefined;
  }

  #continue(next: Conversation, served: Served): DiagnosedBreak | undefined {
    const { content, counted } = next;
    const match = findConversation(this.#memory.candidates(content), content);
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
