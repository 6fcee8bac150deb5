import { CLAUDE_LOOK_BACK_BLOCKS } from "@promptfold/renderer";
import { BoundedMap } from "../bounded-map.ts";
import { type CacheSetting, cacheSettings, settingValue } from "./cache-settings.ts";
import type { CountedBody } from "./counted-body.ts";
import { chainHash, hashText, STEP_LENGTH } from "../bodies/text-hash.ts";

/** What a cache gives of a body. */
export interface Served {
  readonly tokens: number;
  /** Of how many whole blocks; some of the next one's tokens may be among them where an API caches by prefix. */
  readonly blocks: number;
  /** The newest body that put it there. */
  readonly by: number;
}

/** How many prefixes of prompts are remembered: one for each 512 characters or block. */
const MAX_PREFIXES = 400_000;

const nothing: Served = { tokens: 0, blocks: 0, by: -1 };

/**
 * What the providers' caches hold after the bodies so far, of all conversations, by each API's rules and for as long
 * as the log goes: how long a cache lives is not in a log. Bounded in memory, linear in the bodies' size.
 */
export class ProviderCache {
  /** By the hash of a prefix, the newest body that put it into a cache. */
  readonly #prefixes = new BoundedMap<number, number>(MAX_PREFIXES);

  get hasLetGo(): boolean {
    return this.#prefixes.hasLetGo;
  }

  /** What the cache gives of a body, which is in it from then on; `index` is the body's number. */
  send(body: CountedBody, index: number): Served {
    const served =
      body.rules.kind === "prefix" ? this.#sendPrefix(body, index) : this.#sendMarked(body, index);
    return served.tokens < body.minimumTokens ? nothing : served;
  }

  /** What it would give of a body without marks if it, and all of its kind before it, had them. */
  sendUnmarked(body: CountedBody, index: number): Served {
    let served = nothing;
    const prefixes = prefixHashes(body, "unmarked");
    for (let count = 1; count < prefixes.length; count++) {
      const prefix = prefixes[count] ?? 0;
      const by = this.#prefixes.get(prefix);
      if (by !== undefined) served = { tokens: body.tokensThrough(count), blocks: count, by };
      this.#prefixes.set(prefix, index);
    }
    return served.tokens < body.minimumTokens ? nothing : served;
  }

  #sendPrefix(body: CountedBody, index: number): Served {
    const prefixes = prefixHashes(body, "prefix");
    const { hashes, frameHashes } = body.content;
    let block = 0;
    let steps = 0;
    let by = -1;
    let isFound = true;
    const pass = (prefix: number, toBlock: number, toSteps: number): void => {
      const known = isFound ? this.#prefixes.get(prefix) : undefined;
      if (known === undefined) isFound = false;
      else [by, block, steps] = [known, toBlock, toSteps];
      this.#prefixes.set(prefix, index);
    };
    for (let at = 0; at < body.knownBlocks; at++) {
      const before = chainHash(prefixes[at] ?? 0, frameHashes[at] ?? 0);
      hashes[at]?.steps.forEach((hash, step) => {
        pass(chainHash(before, hash), at, step + 1);
      });
      pass(prefixes[at + 1] ?? 0, at + 1, 0);
    }
    if (by === -1) return nothing;
    const isMedia = body.content.media.has(block);
    const started = steps === 0 || isMedia ? 0 : body.tokensOfStart(block, steps * STEP_LENGTH);
    return { tokens: body.tokensThrough(block) + started, blocks: block, by };
  }

  #sendMarked(body: CountedBody, index: number): Served {
    const prefixes = prefixHashes(body, body.rules.kind);
    const written = body.written ?? [];
    const candidates =
      body.rules.kind === "breakpoints"
        ? prefixes.keys()
        : new Set(
            written.flatMap((end) =>
              Array.from({ length: Math.min(CLAUDE_LOOK_BACK_BLOCKS, end) }, (_, back) => end - back),
            ),
          );
    let served = nothing;
    let most = 0;
    for (const end of candidates) {
      const by = end > most ? this.#prefixes.get(prefixes[end] ?? 0) : undefined;
      if (by === undefined) continue;
      most = end;
      served = { tokens: body.tokensThrough(end), blocks: end, by };
    }
    for (const end of written) {
      // What is too short is not written.
      if (body.tokensThrough(end) >= body.minimumTokens) this.#prefixes.set(prefixes[end] ?? 0, index);
    }
    return served;
  }
}

/** What stands for the prefix of a prompt with each number of its blocks, none first. */
function prefixHashes({ content, rules, knownBlocks }: CountedBody, kind: string): number[] {
  const { body, lead, blockHashes } = content;
  const settings = (keeps: CacheSetting["keeps"]): number => {
    const values = cacheSettings(rules)
      .filter((each) => each.keeps === keeps)
      .map((setting) => settingValue(body, setting) ?? null);
    return hashText(JSON.stringify(values)).whole;
  };
  let prefix = chainHash(hashText(`${kind} ${body.format}`).whole, settings("nothing"));
  const prefixes = [prefix];
  for (let at = 0; at < knownBlocks; at++) {
    if (at === lead) prefix = chainHash(prefix, settings("lead"));
    prefix = chainHash(prefix, blockHashes[at] ?? 0);
    prefixes.push(prefix);
  }
  return prefixes;
}
