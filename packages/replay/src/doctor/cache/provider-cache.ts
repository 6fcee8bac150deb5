import { CLAUDE_LOOK_BACK_BLOCKS } from "@promptfold/renderer";
import { BoundedMap } from "../bounded-map.ts";
import { type CacheSetting, cacheSettings } from "./cache-settings.ts";
import type { CountedBody } from "./counted-body.ts";
import { chainHash, hashText, STEP_LENGTH } from "../bodies/text-hash.ts";

/** What a cache gives of a body. */
export interface Served {
  readonly tokens: number;
  /** The newest body that put it there. */
  readonly by: number;
}

/** How many places in prompts are remembered: of 512 characters or a block each. */
const MAX_PLACES = 400_000;

const nothing: Served = { tokens: 0, by: -1 };

/**
 * What the providers' caches hold after the bodies so far, of all conversations, by each API's rules and for as long
 * as the log goes: how long a cache lives is not in a log. Bounded in memory, linear in the bodies' size.
 */
export class ProviderCache {
  readonly #places = new BoundedMap<number, number>(MAX_PLACES);

  get hasLetGo(): boolean {
    return this.#places.hasLetGo;
  }

  /** What the cache gives of a body, which is in it from then on; `index` is the body's number. */
  send(body: CountedBody, index: number): Served {
    const served =
      body.rules.kind === "prefix" ? this.#sendPrefix(body, index) : this.#sendPlaces(body, index);
    return served.tokens < body.minimumTokens ? nothing : served;
  }

  /** What it would give of a body without marks if it, and all of its kind before it, had them. */
  sendUnmarked(body: CountedBody, index: number): Served {
    let served = nothing;
    const ends = placeEnds(body, "unmarked");
    for (let count = 1; count < ends.length; count++) {
      const place = ends[count] ?? 0;
      const by = this.#places.get(place);
      if (by !== undefined) served = { tokens: body.tokensThrough(count), by };
      this.#places.set(place, index);
    }
    return served.tokens < body.minimumTokens ? nothing : served;
  }

  #sendPrefix(body: CountedBody, index: number): Served {
    const ends = placeEnds(body, "prefix");
    const { hashes, frameHashes } = body.content;
    let block = 0;
    let steps = 0;
    let by = -1;
    let isFound = true;
    const pass = (place: number, toBlock: number, toSteps: number): void => {
      const known = isFound ? this.#places.get(place) : undefined;
      if (known === undefined) isFound = false;
      else [by, block, steps] = [known, toBlock, toSteps];
      this.#places.set(place, index);
    };
    for (let at = 0; at < body.knownBlocks; at++) {
      const before = chainHash(ends[at] ?? 0, frameHashes[at] ?? 0);
      hashes[at]?.steps.forEach((hash, step) => {
        pass(chainHash(before, hash), at, step + 1);
      });
      pass(ends[at + 1] ?? 0, at + 1, 0);
    }
    if (by === -1) return nothing;
    const isMedia = body.content.media.has(block);
    const started = steps === 0 || isMedia ? 0 : body.tokensOfStart(block, steps * STEP_LENGTH);
    return { tokens: body.tokensThrough(block) + started, by };
  }

  #sendPlaces(body: CountedBody, index: number): Served {
    const ends = placeEnds(body, body.rules.kind);
    const written = body.written ?? [];
    const candidates =
      body.rules.kind === "breakpoints"
        ? ends.keys()
        : new Set(
            written.flatMap((end) =>
              Array.from({ length: Math.min(CLAUDE_LOOK_BACK_BLOCKS, end) }, (_, back) => end - back),
            ),
          );
    let served = nothing;
    let most = 0;
    for (const end of candidates) {
      const by = end > most ? this.#places.get(ends[end] ?? 0) : undefined;
      if (by === undefined) continue;
      most = end;
      served = { tokens: body.tokensThrough(end), by };
    }
    for (const end of written) {
      // What is too short is not written.
      if (body.tokensThrough(end) >= body.minimumTokens) this.#places.set(ends[end] ?? 0, index);
    }
    return served;
  }
}

/** What stands for a prompt after each number of its blocks. */
function placeEnds({ content, rules, knownBlocks }: CountedBody, kind: string): number[] {
  const { body, lead, blockHashes } = content;
  const settings = (keeps: CacheSetting["keeps"]): number => {
    const values = cacheSettings(rules)
      .filter((each) => each.keeps === keeps)
      .map(({ name }) => body.settings.get(name) ?? null);
    return hashText(JSON.stringify(values)).whole;
  };
  let place = chainHash(hashText(`${kind} ${body.format}`).whole, settings("nothing"));
  const ends = [place];
  for (let at = 0; at < knownBlocks; at++) {
    if (at === lead) place = chainHash(place, settings("lead"));
    place = chainHash(place, blockHashes[at] ?? 0);
    ends.push(place);
  }
  return ends;
}
