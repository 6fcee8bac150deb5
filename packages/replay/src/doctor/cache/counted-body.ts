import type { BodyContent } from "../bodies/body-content.ts";
import { BoundedMap } from "../bounded-map.ts";
import { type CacheRules, cacheRules, writtenEnds } from "./cache-rules.ts";

/** A body with its tokens, and with what its provider caches of it. */
export class CountedBody {
  readonly content: BodyContent;
  readonly rules: CacheRules;
  readonly minimumTokens: number;
  /** After how many blocks a prefix ends that is written to the cache; undefined when every prefix is. */
  readonly written: readonly number[] | undefined;
  /** How many blocks the prompt certainly begins with: not the messages, where a server puts more before them. */
  readonly knownBlocks: number;
  /** Tokens of the first so many blocks. */
  readonly #sums: readonly number[];
  readonly #count: ((text: string) => number) | undefined;

  constructor(content: BodyContent, sums: readonly number[], { countTokens, minimumTokens }: CountOptions) {
    this.content = content;
    this.rules = cacheRules(content.body);
    this.minimumTokens = minimumTokens ?? this.rules.minimumTokens;
    this.written = writtenEnds(content.body, this.rules);
    this.knownBlocks = content.isContinuedOnServer ? content.lead : content.body.blocks.length;
    this.#sums = sums;
    this.#count = countTokens;
  }

  get tokens(): number {
    return this.tokensThrough(this.#sums.length - 1);
  }

  /** Tokens of so many of the first blocks. */
  tokensThrough(blocks: number): number {
    return this.#sums[blocks] ?? 0;
  }

  /** Tokens that a block begins with. */
  tokensOfStart(block: number, characters: number): number {
    return this.#count?.((this.content.body.blocks[block]?.text ?? "").slice(0, characters)) ?? 0;
  }

  /** How many tokens of it a later body could have from the cache, of so many of its first blocks. */
  cachedTokens(blocks: number): number {
    const end =
      this.written === undefined ? blocks : Math.max(0, ...this.written.filter((each) => each <= blocks));
    return this.cacheable(this.tokensThrough(end));
  }

  /** All of a prefix, or nothing of one that is too short to be cached. */
  cacheable(tokens: number): number {
    return tokens < this.minimumTokens ? 0 : tokens;
  }
}

/** What counting needs from its caller. */
export interface CountOptions {
  readonly countTokens?: ((text: string) => number) | undefined;
  readonly minimumTokens?: number | undefined;
}

const MAX_COUNTS = 100_000;

/** Counts the tokens of bodies; a text that was counted lately is not counted again. */
export class BodyCounter {
  readonly #options: CountOptions;
  readonly #counts = new BoundedMap<number, number>(MAX_COUNTS);

  constructor(options: CountOptions) {
    this.#options = options;
  }

  count(content: BodyContent): CountedBody {
    const sums = [0];
    let sum = 0;
    content.body.blocks.forEach((_, index) => {
      sum += this.#countBlock(content, index);
      sums.push(sum);
    });
    return new CountedBody(content, sums, this.#options);
  }

  #countBlock(content: BodyContent, index: number): number {
    const { countTokens } = this.#options;
    if (countTokens === undefined) return 0;
    const media = content.media.get(index);
    if (media !== undefined) {
      const estimate = media.list.reduce((sum, { tokens }) => sum + tokens, 0);
      return estimate + (media.rest === "" ? 0 : countTokens(media.rest));
    }
    const hash = content.hashes[index]?.whole ?? 0;
    const known = this.#counts.get(hash);
    if (known !== undefined) return known;
    const count = countTokens(content.body.blocks[index]?.text ?? "");
    this.#counts.set(hash, count);
    return count;
  }
}
