/** Longer names are no slips of one another, and comparing them takes time. */
const LONGEST = 100;

/**
 * The name among `names` that looks most like `name`, when one is near enough to be a slip: at most a third of the
 * letters differ, or one where half of them agree; case counts for nothing, but of two that are as near, the one whose
 * first letter is in the case of the name's. None for names of more than 100 letters.
 */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > LONGEST) return undefined;
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    const isLikelier = nearest !== undefined && !isSameCase(name, nearest) && isSameCase(name, candidate);
    const most = isLikelier ? least : least - 1;
    if (Math.abs(candidate.length - name.length) > most) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    const halfAgrees = distance * 2 <= Math.max(candidate.length, name.length);
    if (distance <= most && halfAgrees) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Whether two names begin with letters of one case. */
function isSameCase(a: string, b: string): boolean {
  return isUpper(a) === isUpper(b);
}

function isUpper(name: string): boolean {
  return /^\p{Lu}/u.test(name);
}

/** So many unknown names are no slips, and comparing each with all others takes time. */
const MOST_HINTS = 100;

/**
 * {@link nearestName} for many names that stand in one place, such as the unknown names of a text. A name that comes again
 * gets the hint it had; after 100 different ones there are no more.
 *
 * @param names - gives what they are compared with; called when the first of them comes, once
 */
export function createNameHints(names: () => Iterable<string>): (name: string) => string | undefined {
  const hints = new Map<string, string | undefined>();
  let candidates: readonly string[] | undefined;
  return (name) => {
    if (!hints.has(name) && hints.size < MOST_HINTS) {
      candidates ??= [...names()];
      hints.set(name, nearestName(name, candidates));
    }
    return hints.get(name);
  };
}

/** Insertions, deletions, changes and swaps of neighbours that turn one word into another. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min((last[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
