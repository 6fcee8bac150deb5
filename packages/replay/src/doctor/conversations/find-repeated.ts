import type { ContentBlock, ContentBlocks } from "../bodies/body-content.ts";

/** What of an earlier body's messages stands in a later one. */
export interface Repeated {
  /** With how many both begin, and whether the later one has more than that. */
  readonly start: number;
  readonly goesBeyond: boolean;
  /** How many of them stand there in the same order, and whether these are at least half. */
  readonly count: number;
  readonly isHalf: boolean;
  /** Whether the model spoke in one of these, and whether it speaks, or much is said, after the last of them. */
  readonly hasModel: boolean;
  readonly goesOn: boolean;
  /** Whether the two begin alike, and nothing of the earlier one's later answers is left: two ways to go on. */
  readonly isFork: boolean;
  /** Whether more than short results of tools, which may be alike by chance, stands there behind what both begin with. */
  readonly isTelling: boolean;
  /** How many of the earlier one's last messages stand together in the later one, where they end, and whether the model spoke in them. */
  readonly endLength: number;
  readonly endsAt: number;
  readonly endHasModel: boolean;
}

/**
 * Finds an earlier body's messages in a later one. Linear in their number, up to a logarithm: each is looked for at a
 * few places alone.
 */
export function findRepeated(earlier: ContentBlocks, later: ContentBlocks): Repeated {
  const [before, after] = [earlier.list, later.list];
  const limit = Math.min(before.length, after.length);
  let same = 0;
  while (same < limit && before[same]?.key === after[same]?.key) same++;
  const chosen = longestInOrder(
    before.slice(same).map(({ key }) => (later.places.get(key) ?? []).filter((place) => place >= same)),
  );
  const places = [...Array.from({ length: same }, (_, place) => place), ...chosen];
  const last = places.at(-1) ?? -1;
  const count = places.length;
  const [left, added] = [before.slice(same), after.slice(last + 1)];
  return {
    start: same,
    goesBeyond: same < after.length,
    count,
    isHalf: count > 0 && count * 2 >= before.length,
    hasModel: places.some((place) => after[place]?.byModel === true),
    goesOn: added.some(({ byModel }) => byModel) || (added.length >= 2 && after.length > before.length),
    isFork:
      chosen.length === 0 && left.length >= 2 && left.some(({ byModel }) => byModel) && added.length > 0,
    isTelling: chosen.some((place) => isTelling(after[place])),
    ...findEnd(earlier, later),
  };
}

/** How long a tool's result is, with what frames it, that two ways to go on would hardly have in common, as "ok". */
const TELLING = 120;

function isTelling(block: ContentBlock | undefined): boolean {
  return block !== undefined && (!block.isResult || block.key.length >= TELLING);
}

/** The longest rising choice of one place for each of some messages. */
function longestInOrder(candidates: readonly (readonly number[])[]): number[] {
  interface Step {
    readonly place: number;
    readonly previous: Step | undefined;
  }
  // At each length the choice that ends earliest.
  const ends: Step[] = [];
  for (const places of candidates) {
    // Falling, so that one message never gives two steps of a choice.
    for (const place of [...places].reverse()) {
      let [low, high] = [0, ends.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ends[middle]?.place ?? 0) < place) low = middle + 1;
        else high = middle;
      }
      ends[low] = { place, previous: ends[low - 1] };
    }
  }
  const chosen: number[] = [];
  for (let step = ends.at(-1); step !== undefined; step = step.previous) chosen.push(step.place);
  return chosen.reverse();
}

function findEnd(
  earlier: ContentBlocks,
  later: ContentBlocks,
): Pick<Repeated, "endLength" | "endsAt" | "endHasModel"> {
  const [before, after] = [earlier.list, later.list];
  let found = { endLength: 0, endsAt: -1, endHasModel: false };
  for (const endsAt of later.places.get(before.at(-1)?.key ?? "") ?? []) {
    let endLength = 0;
    let endHasModel = false;
    while (endLength <= endsAt && endLength < before.length) {
      const block = before[before.length - 1 - endLength];
      if (block === undefined || block.key !== after[endsAt - endLength]?.key) break;
      endHasModel ||= block.byModel;
      endLength++;
    }
    if (endLength > found.endLength) found = { endLength, endsAt, endHasModel };
  }
  return found;
}
