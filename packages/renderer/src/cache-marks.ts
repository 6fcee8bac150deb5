import type { CacheMark } from "./mapping.ts";

/** What an API allows of cache marks for one model. */
export interface CacheLimits {
  /** How many marks a request may carry. */
  readonly maxMarks: number;
  /** At how many blocks a mark looks for what is cached already, its own among them; undefined where at all before it. */
  readonly lookBackBlocks?: number | undefined;
  /** Tokens that a prefix needs to be cached at all. */
  readonly minimumTokens: number;
  /** How long the marks of what never changes are asked to last; the stamps' marks last as the provider likes. */
  readonly standingTtl?: "5m" | "1h" | undefined;
}

/** A place that may be marked. */
export interface CacheAnchor {
  readonly block: number;
  readonly reason: CacheMark["reason"];
  /**
   * UTF-8 bytes from the start of what the model reads through this block: no fewer than its tokens. Counted only as
   * far as any minimum reaches.
   */
  readonly bytes: number;
}

/** The marks of a request, in the order of their places, and why they stand there. */
export interface CachePlan {
  readonly marks: readonly CacheMark[];
  readonly explanation: readonly string[];
}

/** The order in which places get a mark while there are any. The newest stamp is the one that the next request finds. */
const priority: readonly CacheMark["reason"][] = [
  "newest-stamp",
  "standing-document",
  "previous-stamp",
  "compaction-edge",
];

const meaning: Readonly<Record<CacheMark["reason"], string>> = {
  "standing-document": "the end of the standing document, which every request of this agent begins with",
  "previous-stamp": "the previous stamp, where the request before this one ended and was cached",
  "newest-stamp": "the newest stamp, which the next request will find",
  "compaction-edge": "the summary of a compaction, which stays while the messages after it come and go",
};

/**
 * Where a request is marked for caching: the end of the standing document, the edge of a compaction, the previous
 * stamp and the newest stamp, as far as the API's limits reach. Pure: places and limits decide, nothing else. A longer
 * time to live never comes after a shorter one.
 */
export function planCacheMarks(anchors: readonly CacheAnchor[], limits: CacheLimits): CachePlan {
  const marks = chooseCacheMarks(anchors, limits);
  return { marks, explanation: explainMarks(marks, anchors, limits) };
}

/** The marks of such a plan alone. */
export function chooseCacheMarks(anchors: readonly CacheAnchor[], limits: CacheLimits): CacheMark[] {
  const chosen: CacheAnchor[] = [];
  for (const reason of priority) {
    if (chosen.length >= limits.maxMarks) break;
    const anchor = anchorFor(reason, anchors);
    if (anchor === undefined || markOn(chosen, anchor.block) !== undefined) continue;
    // In the order of their places: there are so few that no sorting is quicker than putting each where it belongs.
    let place = chosen.length;
    while (place > 0 && (chosen[place - 1]?.block ?? 0) > anchor.block) place--;
    chosen.splice(place, 0, anchor);
  }
  let longest = limits.standingTtl;
  return chosen.map(({ block, reason }): CacheMark => {
    if (reason.endsWith("stamp")) longest = undefined;
    return longest === undefined ? { block, reason } : { block, reason, ttl: longest };
  });
}

function anchorFor(reason: CacheMark["reason"], anchors: readonly CacheAnchor[]): CacheAnchor | undefined {
  for (const anchor of anchors) if (anchor.reason === reason) return anchor;
  return undefined;
}

/** What stands on a block, of marks or of places for them. There are so few that an index would cost more. */
export function markOn<Mark extends { readonly block: number }>(
  marks: readonly Mark[],
  block: number,
): Mark | undefined {
  for (const mark of marks) if (mark.block === block) return mark;
  return undefined;
}

function explainMarks(
  marks: readonly CacheMark[],
  anchors: readonly CacheAnchor[],
  limits: CacheLimits,
): string[] {
  const sentences = marks.map(({ block, reason, ttl }, index) => {
    const anchor = anchors.find((each) => each.block === block && each.reason === reason);
    const lasts = ttl === undefined ? "" : ` It is asked to last ${ttl}.`;
    const bytes = anchor?.bytes ?? 0;
    const short =
      bytes < limits.minimumTokens
        ? ` With ${bytes} bytes before it, it is below the ${limits.minimumTokens} tokens that this model caches from, so nothing is cached there yet.`
        : "";
    return `Cache mark ${index + 1} of at most ${limits.maxMarks} on block ${block}: ${meaning[reason]}.${lasts}${short}`;
  });
  const left = anchors.filter(({ block }) => !marks.some((each) => each.block === block));
  for (const { reason, block } of left)
    sentences.push(`No mark is left for block ${block}: ${meaning[reason]}.`);
  const distance = stampDistance(marks);
  if (limits.lookBackBlocks !== undefined && distance !== undefined && distance >= limits.lookBackBlocks) {
    sentences.push(
      `The two newest stamps are ${distance} blocks apart and a mark looks at ${limits.lookBackBlocks}, its own among them: only the mark on the previous stamp finds what was cached there.`,
    );
  }
  return sentences;
}

function stampDistance(marks: readonly CacheMark[]): number | undefined {
  const previous = marks.find(({ reason }) => reason === "previous-stamp");
  const newest = marks.find(({ reason }) => reason === "newest-stamp");
  return previous === undefined || newest === undefined ? undefined : newest.block - previous.block;
}
