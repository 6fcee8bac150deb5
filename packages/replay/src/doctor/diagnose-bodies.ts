import { PromptfoldError } from "@promptfold/contract";
import {
  compareBodies,
  type PrefixVerdict,
  readBody,
  type ReadBody,
  type BodyBlock,
  type BodyFormat,
} from "@promptfold/renderer";
import {
  type BreakCause,
  breakCause,
  type ExplainedCause,
  leadingSystem,
  settingsCause,
} from "./break-cause.ts";
import { findPrice, moneyLost, type PriceTable } from "./price-table.ts";
import { unwrapBody } from "./unwrap-body.ts";

/** What a diagnosis needs from its caller. */
export interface DiagnoseOptions {
  /** Counts the tokens of a text. Without it, lost text is given in characters and bytes alone. */
  readonly countTokens?: ((text: string) => number) | undefined;
  /** What input costs, by model. Without it, nothing is said of money. */
  readonly prices?: PriceTable | undefined;
  /** Whose API the bodies speak; by default told from each body. */
  readonly format?: BodyFormat | undefined;
  /** Tokens that a prefix needs before a provider caches it; a break in less costs nothing. 1,024 by default. */
  readonly minimumTokens?: number | undefined;
}

/** A place where a body does not begin with the body before it. */
export interface DiagnosedBreak {
  /** Which body, from 0, in the order in which they came; and which one it is compared with. */
  readonly body: number;
  readonly previous: number;
  readonly cause: BreakCause;
  /** What was seen, in one sentence. */
  readonly detail: string;
  /** What else changed in the same body. */
  readonly also: readonly ExplainedCause[];
  /** Where the two part, and the texts there; undefined where only settings changed. */
  readonly place: PrefixVerdict["break"];
  /** Of the earlier body: characters, UTF-8 bytes and tokens that this one could have read from the cache and cannot. */
  readonly lostCharacters: number;
  readonly lostTokens: number | undefined;
  /** Tokens of the earlier body that both begin with. */
  readonly sharedTokens: number | undefined;
  /** What the lost tokens cost more than cached ones; undefined without a tokenizer or a price. */
  readonly lostMoney: number | undefined;
  readonly model: string | undefined;
}

/** A body that could not be read. */
export interface UnreadableBody {
  readonly body: number;
  readonly reason: string;
}

/** What the bodies of an agent say about its prompt cache. */
export interface Diagnosis {
  /** Bodies that were read. */
  readonly bodies: number;
  /** How many separate conversations they belong to. */
  readonly conversations: number;
  readonly breaks: readonly DiagnosedBreak[];
  readonly unreadable: readonly UnreadableBody[];
  /** Tokens of all bodies, and of those the ones that the body before had sent already; undefined without a tokenizer. */
  readonly totalTokens: number | undefined;
  readonly reusableTokens: number | undefined;
  readonly lostTokens: number | undefined;
  readonly lostMoney: number | undefined;
}

/**
 * Diagnoses raw provider bodies in the order in which an agent sent them, from any system: each place where a body
 * does not begin with the one before it, why that is likely, and what it cost. A body is an object, its JSON text, or
 * a log's object around it. Bodies of several conversations may be mixed: each is compared with the one that it
 * continues. What cannot be read is listed and passed over.
 */
export function diagnoseBodies(bodies: Iterable<unknown>, options: DiagnoseOptions = {}): Diagnosis {
  const doctor = new BodyDoctor(options);
  for (const body of bodies) doctor.add(body);
  return doctor.diagnosis;
}

/** The newest body of one conversation. */
interface Conversation {
  readonly index: number;
  readonly body: ReadBody;
  readonly tokens: readonly number[];
}

/** How many conversations are remembered at a time, so that memory stays bounded. */
const MAX_CONVERSATIONS = 8;

/** The same diagnosis, one body at a time: for files that do not fit into memory. */
export class BodyDoctor {
  readonly #options: DiagnoseOptions;
  readonly #breaks: DiagnosedBreak[] = [];
  readonly #unreadable: UnreadableBody[] = [];
  /** Most recently continued first. */
  #conversations: Conversation[] = [];
  #seen = 0;
  #conversationCount = 0;
  #totalTokens = 0;
  #reusableTokens = 0;

  constructor(options: DiagnoseOptions = {}) {
    this.#options = options;
  }

  /** Takes the next body; gives the break that it brings, if it brings one. */
  add(raw: unknown): DiagnosedBreak | undefined {
    const index = this.#seen++;
    const body = this.#read(raw, index);
    if (body === undefined) return undefined;
    const match = this.#nearest(body);
    const tokens = this.#countTokens(body, match);
    this.#totalTokens += sum(tokens);
    let found: DiagnosedBreak | undefined;
    if (match === undefined || isNewConversation(body, match)) {
      this.#conversationCount++;
      this.#reusableTokens += sum(tokens.slice(0, match?.verdict.sharedBlocks ?? 0));
    } else {
      found = this.#diagnose(body, index, match);
      this.#reusableTokens += sum(match.previous.tokens) - (found?.lostTokens ?? 0);
      this.#conversations = this.#conversations.filter((each) => each !== match.previous);
    }
    this.#conversations.unshift({ index, body, tokens });
    this.#conversations.length = Math.min(this.#conversations.length, MAX_CONVERSATIONS);
    if (found !== undefined) this.#breaks.push(found);
    return found;
  }

  /** What the bodies so far say. */
  get diagnosis(): Diagnosis {
    const counts = this.#options.countTokens !== undefined;
    const priced = this.#breaks.flatMap(({ lostMoney }) => (lostMoney === undefined ? [] : [lostMoney]));
    return {
      bodies: this.#seen - this.#unreadable.length,
      conversations: this.#conversationCount,
      breaks: [...this.#breaks],
      unreadable: [...this.#unreadable],
      totalTokens: counts ? this.#totalTokens : undefined,
      reusableTokens: counts ? this.#reusableTokens : undefined,
      lostTokens: counts ? sum(this.#breaks.map(({ lostTokens }) => lostTokens ?? 0)) : undefined,
      lostMoney: priced.length === 0 ? undefined : sum(priced),
    };
  }

  #read(raw: unknown, index: number): ReadBody | undefined {
    try {
      return readBody(unwrapBody(raw), this.#options.format);
    } catch (error) {
      if (!PromptfoldError.isInstance(error, "unreadable-body")) throw error;
      this.#unreadable.push({ body: index, reason: error.message });
      return undefined;
    }
  }

  /** The conversation that a body continues, or else begins like: the newest whose law holds, or the most alike. */
  #nearest(body: ReadBody): Match | undefined {
    let best: Match | undefined;
    for (const previous of this.#conversations) {
      const verdict = compareBodies(previous.body, body);
      if (verdict.held) return { previous, verdict };
      if (best === undefined || verdict.sharedCharacters > best.verdict.sharedCharacters)
        best = { previous, verdict };
    }
    return best;
  }

  #countTokens(body: ReadBody, match: Match | undefined): number[] {
    const { countTokens } = this.#options;
    if (countTokens === undefined) return [];
    const known = match === undefined ? 0 : match.verdict.sharedBlocks;
    return body.blocks.map(({ text }, index) =>
      index < known ? (match?.previous.tokens[index] ?? 0) : countTokens(text),
    );
  }

  #diagnose(body: ReadBody, index: number, { previous, verdict }: Match): DiagnosedBreak | undefined {
    const prefix = breakCause(previous.body, body, verdict);
    const settings = settingsCause(previous.body, body);
    const [main, ...also] = [prefix, settings].filter((each) => each !== undefined);
    if (main === undefined) return undefined;
    const { countTokens, prices, minimumTokens = 1024 } = this.#options;
    const blocks = previous.body.blocks;
    // A setting may take more of the cache away than the place where the texts part.
    const settingsKeep =
      settings === undefined ? Infinity : settings.keeps === "nothing" ? 0 : leadingSystem(body.blocks);
    const isCut = settingsKeep <= verdict.sharedBlocks && settings !== undefined;
    const kept = isCut ? settingsKeep : verdict.sharedBlocks;
    const started = isCut ? "" : (blocks[kept]?.text.slice(0, verdict.break?.character ?? 0) ?? "");
    const total = sum(previous.tokens);
    const sharedTokens = sum(previous.tokens.slice(0, kept)) + (countTokens?.(started) ?? 0);
    const lostTokens = total < minimumTokens ? 0 : Math.max(0, total - sharedTokens);
    const model = modelName(body);
    const price = model === undefined ? undefined : findPrice(prices, model);
    return {
      body: index,
      previous: previous.index,
      cause: main.cause,
      detail: main.detail,
      also: also.map(({ cause, detail }) => ({ cause, detail })),
      place: verdict.break,
      lostCharacters: sum(blocks.slice(kept).map(({ text }) => text.length)) - started.length,
      lostTokens: countTokens && lostTokens,
      sharedTokens: countTokens && sharedTokens,
      lostMoney: countTokens && price && moneyLost(lostTokens, price),
      model,
    };
  }
}

interface Match {
  readonly previous: Conversation;
  readonly verdict: PrefixVerdict;
}

/** Causes that show one prompt behind two conversations: with them, even their first requests could share more. */
const ofOnePrompt: ReadonlySet<BreakCause> = new Set(["clock", "varying-id", "tools-reordered"]);

/**
 * Whether a body that continues none begins a conversation of its own: no message of the other one is in it, and its
 * tools and system text are the same, or too different to come from one prompt.
 */
function isNewConversation(body: ReadBody, { previous, verdict }: Match): boolean {
  if (verdict.held || verdict.break?.kind === "format") return false;
  const messages = new Set(afterLead(previous.body).map(({ text }) => text));
  if (afterLead(body).some(({ text }) => messages.has(text))) return false;
  const cause = breakCause(previous.body, body, verdict)?.cause;
  return cause === undefined || !ofOnePrompt.has(cause) || verdict.sharedBlocks >= leadingSystem(body.blocks);
}

function afterLead({ blocks }: ReadBody): readonly BodyBlock[] {
  return blocks.slice(leadingSystem(blocks));
}

function modelName({ settings }: ReadBody): string | undefined {
  const json = settings.get("model");
  const model: unknown = json === undefined ? undefined : JSON.parse(json);
  return typeof model === "string" ? model : undefined;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
