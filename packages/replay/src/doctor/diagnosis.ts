import type { BodyFormat } from "@promptfold/renderer";
import type { BreakCause, ExplainedCause } from "./causes/explained-cause.ts";
import type { BreakPlace } from "./causes/break-place.ts";
import type { DiagnosisNote } from "./notes/diagnosis-notes.ts";
import type { PriceTable } from "./cache/price-table.ts";

/** What a diagnosis needs from its caller. */
export interface DiagnoseOptions {
  /** Counts the tokens of a text. Without it, lost text is given in characters and bytes alone. */
  readonly countTokens?: ((text: string) => number) | undefined;
  /** What input costs, by model. Without it, nothing is said of money. */
  readonly prices?: PriceTable | undefined;
  /** Whose API the bodies speak; by default told from each body. */
  readonly format?: BodyFormat | undefined;
  /** Tokens that a prefix needs before a provider caches it; a break in less costs nothing. By default what each model asks for. */
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
  readonly place: BreakPlace | undefined;
  /** Of the earlier body: characters and tokens that this one could have read from the cache and cannot. */
  readonly lostCharacters: number;
  readonly lostTokens: number | undefined;
  /** Tokens that this one can have from the cache all the same; 0 where they are too few to be cached. */
  readonly sharedTokens: number | undefined;
  /** Which body put these there, where it is another one than `previous`: one before it, for the same model. */
  readonly servedBy: number | undefined;
  /** Why nothing of the earlier body was cached: it is too short, or has no marks where an API caches at marks alone. */
  readonly notCached: "too-short" | "unmarked" | undefined;
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
  /** What is to be said besides: that nothing asks for caching, that something could not be checked. */
  readonly notes: readonly DiagnosisNote[];
  /** Tokens of all bodies, and of those the ones that a cache can give; undefined without a tokenizer. */
  readonly totalTokens: number | undefined;
  readonly reusableTokens: number | undefined;
  /** What the breaks lost, and what that cost; what notes tell of comes beside it. */
  readonly lostTokens: number | undefined;
  readonly lostMoney: number | undefined;
  /** Models of what cost something, for which the price table has no entry; undefined in it names none. */
  readonly unpricedModels: readonly (string | undefined)[];
}
