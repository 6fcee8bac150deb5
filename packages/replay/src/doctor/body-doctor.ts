import { isPlainObject } from "@promptfold/contract";
import {
  type BodyFormat,
  compareBodies,
  detectFormat,
  readBody,
  type ReadBody,
  UnreadableBodyError,
} from "@promptfold/renderer";
import { BodyContent, leadingSystem, sharedBlocks } from "./body-content.ts";
import { breakCause, settingsCause } from "./break-cause.ts";
import { toBreakPlace } from "./break-place.ts";
import type { DiagnosedBreak, DiagnoseOptions, Diagnosis, UnreadableBody } from "./diagnosis.ts";
import { findConversation, type Found, type Remembered } from "./find-conversation.ts";
import { findPrice, moneyLost, parsePriceTable } from "./price-table.ts";
import { isListOfBodies, isListOfMessages, unwrapBody } from "./unwrap-body.ts";

/** The newest body of one conversation. */
interface Conversation extends Remembered {
  readonly index: number;
  readonly content: BodyContent;
  readonly tokens: readonly number[];
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

/** How many conversations are remembered at a time, so that memory stays bounded. */
const MAX_CONVERSATIONS = 16;

/** The same diagnosis, one body at a time: for files that do not fit into memory. */
export class BodyDoctor {
  readonly #options: DiagnoseOptions;
  readonly #breaks = new Set<DiagnosedBreak>();
  readonly #unreadable: UnreadableBody[] = [];
  /** Most recently continued first. */
  #conversations: Conversation[] = [];
  #seen = 0;
  #conversationCount = 0;
  #totalTokens = 0;
  #reusableTokens = 0;

  /** @throws InvalidPriceTableError (`invalid-price-table`) for prices that would make a loss a gain */
  constructor(options: DiagnoseOptions = {}) {
    if (options.prices !== undefined) parsePriceTable(options.prices);
    this.#options = options;
  }

  /**
   * Takes the next body; gives the break that it brings, if it brings one. A later body may show that it was none,
   * as it goes on exactly where the conversation stood before it: then `diagnosis` has it no more.
   */
  add(raw: unknown): DiagnosedBreak | undefined {
    const index = this.#seen++;
    const read = this.#read(raw, index);
    if (read === undefined) return undefined;
    const content = new BodyContent(read);
    const match = findConversation(this.#conversations, content);
    const tokens = this.#countTokens(read, match?.conversation ?? this.#mostAlike(content));
    this.#totalTokens += sum(tokens);
    if (match === undefined) {
      this.#conversationCount++;
      this.#reusableTokens += this.#cacheable(this.#sharedTokens(content));
      this.#remember({ index, content, tokens, isSteady: false, isSpare: false, doubts: [], copies: 0 });
      return undefined;
    }
    const { conversation, kind } = match;
    const found = this.#diagnose(read, index, match);
    if (found !== undefined) this.#breaks.add(found);
    const isSteady = kind === "extends";
    this.#follow(match, { index, content, tokens, isSteady, isSpare: false, doubts: [], copies: 0 }, found);
    this.#reusableTokens += found?.sharedTokens ?? this.#cacheable(sum(conversation.tokens));
    return found;
  }

  /** What the bodies so far say. */
  get diagnosis(): Diagnosis {
    const { countTokens, prices } = this.#options;
    const breaks = [...this.#breaks];
    const counts = countTokens !== undefined;
    const priced = breaks.flatMap(({ lostMoney }) => (lostMoney === undefined ? [] : [lostMoney]));
    const unpriced = breaks.filter(
      ({ lostTokens = 0, lostMoney }) => lostTokens > 0 && lostMoney === undefined,
    );
    return {
      bodies: this.#seen - this.#unreadable.length,
      conversations: this.#conversationCount,
      breaks,
      unreadable: [...this.#unreadable],
      totalTokens: counts ? this.#totalTokens : undefined,
      reusableTokens: counts ? this.#reusableTokens : undefined,
      lostTokens: counts ? sum(breaks.map(({ lostTokens }) => lostTokens ?? 0)) : undefined,
      lostMoney: priced.length === 0 ? undefined : sum(priced),
      unpricedModels: prices === undefined ? [] : [...new Set(unpriced.map(({ model }) => model))],
    };
  }

  #read(raw: unknown, index: number): ReadBody | undefined {
    try {
      const body = unwrapBody(raw);
      const reason = Array.isArray(body) ? listFault(body) : fieldFault(body, this.#options.format);
      if (reason === undefined) return readBody(body, this.#options.format);
      this.#unreadable.push({ body: index, reason });
    } catch (error) {
      if (!UnreadableBodyError.isInstance(error)) throw error;
      this.#unreadable.push({ body: index, reason: error.message });
    }
    return undefined;
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
      this.#forget(conversation);
      this.#remember({ ...next, isSteady, isSpare, doubts, copies: copies + 1 });
    } else if (kind === "extends" || kind === "continues" || found === undefined) {
      if (kind === "extends") this.#withdraw(doubts);
      this.#forget(conversation);
      if (isSpare) this.#conversationCount++;
      this.#remember(next);
      // Behind all others, so that it is forgotten first.
      if (copies > 0 && this.#conversations.length < MAX_CONVERSATIONS)
        this.#conversations.push({ ...conversation, isSpare: true, doubts: [], copies: copies - 1 });
    } else {
      const isOfAnother = kind === "takes-over";
      const doubt = { found, isOfAnother };
      if (!isOfAnother) this.#conversationCount++;
      this.#conversations = this.#conversations.map((each) =>
        each === conversation ? { ...each, doubts: [...each.doubts.slice(-1), doubt] } : each,
      );
      this.#remember({ ...next, doubts: isOfAnother ? [] : [doubt] });
    }
  }

  #withdraw(doubts: readonly Doubt[]): void {
    for (const { found, isOfAnother } of doubts) {
      if (this.#breaks.delete(found) && isOfAnother) this.#conversationCount++;
    }
  }

  #forget(conversation: Conversation): void {
    this.#conversations = this.#conversations.filter((each) => each !== conversation);
  }

  #remember(conversation: Conversation): void {
    this.#conversations.unshift(conversation);
    this.#conversations.length = Math.min(this.#conversations.length, MAX_CONVERSATIONS);
  }

  /** Of the conversations whose cache a body can read, the one that begins most alike. */
  #mostAlike({ body, model }: BodyContent): Conversation | undefined {
    let found: Conversation | undefined;
    let most = 0;
    for (const each of this.#conversations) {
      if (each.content.body.format !== body.format || each.content.model !== model) continue;
      const shared = sharedBlocks(each.content.body, body);
      if (shared > most) [found, most] = [each, shared];
    }
    return found;
  }

  #sharedTokens(content: BodyContent): number {
    const alike = this.#mostAlike(content);
    if (alike === undefined) return 0;
    return sum(alike.tokens.slice(0, sharedBlocks(alike.content.body, content.body)));
  }

  /** How many of the first tokens of a prompt a cache can give. */
  #cacheable(tokens: number): number {
    return tokens < (this.#options.minimumTokens ?? 1024) ? 0 : tokens;
  }

  #countTokens(body: ReadBody, alike: Conversation | undefined): number[] {
    const { countTokens } = this.#options;
    if (countTokens === undefined) return [];
    const known = alike === undefined ? 0 : sharedBlocks(alike.content.body, body);
    return body.blocks.map(({ text }, index) =>
      index < known ? (alike?.tokens[index] ?? 0) : countTokens(text),
    );
  }

  #diagnose(
    body: ReadBody,
    index: number,
    { kind, conversation }: Found<Conversation>,
  ): DiagnosedBreak | undefined {
    const previous = conversation.content.body;
    const verdict = compareBodies(previous, body);
    const prefix = breakCause(previous, body, verdict);
    const settings = settingsCause(previous, body);
    const [main, ...also] = [prefix, settings].filter((each) => each !== undefined);
    if (main === undefined) return undefined;
    const { countTokens, prices } = this.#options;
    // A setting may take more of the cache away than the place where the texts part.
    const settingsKeep =
      settings === undefined ? Infinity : settings.keeps === "nothing" ? 0 : leadingSystem(body.blocks);
    const isCut = settingsKeep <= verdict.sharedBlocks && settings !== undefined;
    const kept = isCut ? settingsKeep : verdict.sharedBlocks;
    // Two conversations have no more in common than the tools and the system text.
    const end = kind === "varies" ? conversation.content.lead : previous.blocks.length;
    const started = isCut ? "" : (previous.blocks[kept]?.text.slice(0, verdict.break?.character ?? 0) ?? "");
    const total = this.#cacheable(sum(conversation.tokens.slice(0, end)));
    const shared = sum(conversation.tokens.slice(0, kept)) + (countTokens?.(started) ?? 0);
    const sharedTokens = Math.min(total, this.#cacheable(shared));
    const lostTokens = total - sharedTokens;
    const model = modelName(body);
    const price = model === undefined ? undefined : findPrice(prices, model);
    return {
      body: index,
      previous: conversation.index,
      cause: main.cause,
      detail: main.detail,
      also: also.map(({ cause, detail }) => ({ cause, detail })),
      place: verdict.break && toBreakPlace(verdict.break),
      lostCharacters: sum(previous.blocks.slice(kept, end).map(({ text }) => text.length)) - started.length,
      lostTokens: countTokens && lostTokens,
      sharedTokens: countTokens && sharedTokens,
      lostMoney: countTokens && price && moneyLost(lostTokens, price),
      model,
    };
  }
}

/** Why a list is not the messages of one body. */
function listFault(list: readonly unknown[]): string | undefined {
  if (isListOfBodies(list)) return "it is a list of bodies; give each of them by itself";
  return isListOfMessages(list) ? undefined : "it is a list, but neither of bodies nor of messages";
}

/** Why an object that has a field of a body is none. */
function fieldFault(body: unknown, format: BodyFormat | undefined): string | undefined {
  if (!isPlainObject(body) || (format ?? detectFormat(body)) !== undefined) return undefined;
  const has = (name: string): boolean => (body[name] ?? null) !== null;
  if (has("messages")) return "its `messages` is no list; it is no body, or its log keeps it in another form";
  if (has("contents")) return "its `contents` is neither a list nor a text; it is no body of Gemini";
  return has("input")
    ? "it is a call for embeddings, which has an `input` and no prompt that could be cached; leave it out"
    : undefined;
}

function modelName({ settings }: ReadBody): string | undefined {
  const json = settings.get("model");
  const model: unknown = json === undefined ? undefined : JSON.parse(json);
  return typeof model === "string" ? model : undefined;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
