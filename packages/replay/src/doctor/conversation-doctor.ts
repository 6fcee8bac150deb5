import type { BodyFormat, ReadBody } from "@promptfold/renderer";
import { BodyContent, isOtherwiseRead } from "./bodies/body-content.ts";
import { previousResponseId } from "./log/response-id.ts";
import { BoundedMap } from "./bounded-map.ts";
import { BodyCounter } from "./cache/counted-body.ts";
import { ProviderCache, type Served } from "./cache/provider-cache.ts";
import { ConversationMemory } from "./conversations/conversation-memory.ts";
import { findConversation, type Found } from "./conversations/find-conversation.ts";
import { diagnoseBreak, type Sent } from "./diagnose-break.ts";
import type { DiagnosedBreak, DiagnoseOptions, Diagnosis } from "./diagnosis.ts";
import { DiagnosisNotes, type LeftOutKind } from "./notes/diagnosis-notes.ts";

/** The newest body of one conversation. */
interface Conversation extends Sent {
  /** Breaks that are none once a body begins with this one. */
  readonly doubts: readonly Doubt[];
  /** How many times more the very same body was sent: each may be the beginning of another conversation. */
  copies: number;
  /** The body before, which is kept as a spare: what forks there, as after a side question, goes on from it. */
  readonly base: Conversation | undefined;
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

/** A request that was read of a log. */
export interface SentBody {
  readonly read: ReadBody;
  /** Which body it is, in the order in which they came. */
  readonly number: number;
  /** The identifier of its response, where the log has that. */
  readonly response: string | undefined;
}

/** What the requests of a log say; which bodies are requests, somebody else has to know. */
export type RequestDiagnosis = Omit<Diagnosis, "bodies" | "unreadable">;

/** Compares requests with the conversations that they belong to, in the order in which they were sent. */
export class ConversationDoctor {
  readonly #options: DiagnoseOptions;
  readonly #counter: BodyCounter;
  readonly #cache = new ProviderCache();
  readonly #memory = new ConversationMemory<Conversation>();
  readonly #notes: DiagnosisNotes;
  readonly #breaks = new Set<DiagnosedBreak>();
  readonly #answered = new BoundedMap<string, Conversation>(MAX_ANSWERED);
  readonly #responses = new BoundedMap<string, true>(MAX_RESPONSES);
  #conversationCount = 0;
  #totalTokens = 0;
  #reusableTokens = 0;

  constructor(options: DiagnoseOptions) {
    this.#options = options;
    this.#counter = new BodyCounter(options);
    this.#notes = new DiagnosisNotes(options);
  }

  /** Takes the next request; gives the break that it brings, if it brings one. */
  add({ read, number, response }: SentBody): DiagnosedBreak | undefined {
    const { content, candidates } = this.#agree(new BodyContent(read, number));
    const counted = this.#counter.count(content);
    const served = this.#cache.send(counted, number);
    this.#totalTokens += counted.tokens;
    this.#notes.add(counted, () => this.#cache.sendUnmarked(counted, number));
    const next: Conversation = {
      content,
      counted,
      isSteady: false,
      isSpare: false,
      doubts: [],
      copies: 0,
      base: undefined,
    };
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

  /** Notes a line that is no request: a call that counts tokens, or a response. */
  leaveOut(kind: LeftOutKind, number: number): void {
    this.#notes.addLeftOut(kind, number);
  }

  /** What the requests so far say. */
  get diagnosis(): RequestDiagnosis {
    const { countTokens, prices } = this.#options;
    const breaks = [...this.#breaks];
    const counts = countTokens !== undefined;
    const priced = breaks.flatMap(({ lostMoney }) => (lostMoney === undefined ? [] : [lostMoney]));
    const unpriced = breaks
      .filter(({ lostTokens = 0, lostMoney }) => lostTokens > 0 && lostMoney === undefined)
      .map(({ model }) => model);
    return {
      conversations: this.#conversationCount,
      breaks,
      notes: this.#notes.list({ letGo: this.#memory.letGo, hasLetGoPrefixes: this.#cache.hasLetGo }),
      totalTokens: counts ? this.#totalTokens : undefined,
      reusableTokens: counts ? this.#reusableTokens : undefined,
      lostTokens: counts ? sum(breaks.map(({ lostTokens }) => lostTokens ?? 0)) : undefined,
      lostMoney: priced.length === 0 ? undefined : sum(priced),
      unpricedModels: prices === undefined ? [] : [...new Set([...unpriced, ...this.#notes.unpricedModels])],
    };
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
    if (before === undefined) return undefined;
    return diagnoseBreak(counted, { kind: "varies", conversation: before }, served, this.#options);
  }

  /** Puts a body in the place of the one that it continues, or beside it. */
  #follow(
    { kind, conversation }: Found<Conversation>,
    next: Conversation,
    found: DiagnosedBreak | undefined,
  ): void {
    const { isSteady, isSpare, doubts, copies, base } = conversation;
    const isMore = next.content.body.blocks.length > conversation.content.body.blocks.length;
    if (kind === "extends" && !isMore) {
      this.#memory.forget(conversation);
      this.#memory.remember({ ...next, isSteady, isSpare, doubts, copies: copies + 1, base });
      return;
    }
    if (kind === "extends" && found === undefined) {
      this.#withdraw(doubts);
      this.#memory.remember({ ...next, base: this.#spare(conversation) });
    } else if (kind === "continues" || found === undefined) {
      this.#memory.forget(conversation);
      this.#letGo(base);
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
      this.#memory.replace(conversation, { ...conversation, doubts: [...doubts.slice(-1), doubt] });
      this.#memory.remember({ ...next, doubts: isOfAnother ? [] : [doubt] });
    }
  }

  /** A conversation that went on, as a spare. What it went on from itself is let go, unless more may begin with that. */
  #spare(conversation: Conversation): Conversation {
    const { isSpare, base, copies } = conversation;
    this.#letGo(base);
    if (isSpare) {
      this.#conversationCount++;
      conversation.copies = Math.max(0, copies - 1);
      return conversation;
    }
    const spare = { ...conversation, isSpare: true, doubts: [], base: undefined };
    this.#memory.forget(conversation);
    this.#memory.rememberSpare(spare);
    return spare;
  }

  #letGo(base: Conversation | undefined): void {
    if (base !== undefined && base.copies === 0) this.#memory.forget(base);
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
