import { isPlainObject } from "@promptfold/contract";

/** How deep JSON is compared. */
const MAX_DEPTH = 64;

/**
 * How two texts are the same JSON, written differently, in words that follow "the same JSON"; undefined when they are
 * not. JSON inside their strings counts, too: the arguments of a call are one.
 */
export function jsonSpelling(before: string | undefined, after: string | undefined): string | undefined {
  const [old, now] = [parse(before), parse(after)];
  if (old === undefined || now === undefined) return undefined;
  const isSame = (isSorted: boolean): boolean => spell(old, isSorted, 0) === spell(now, isSorted, 0);
  try {
    if (isSame(false)) return "with other white space or escapes in it";
    return isSame(true) ? "with its keys in another order" : undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined; // nested too deeply to be written again
  }
}

/** What a JSON text says, whatever the order of its keys: equal for all spellings of one value. */
export function sortedJson(text: string): string {
  return spell(JSON.parse(text), true, 0);
}

/** A text's JSON object or list; also the one behind a name, as in `search: {…}`. */
function parse(text: string | undefined): unknown {
  const start = text === undefined ? null : /^(?:[\w.-]{1,100}: )?(?=[[{])/.exec(text);
  if (text === undefined || start === null) return undefined;
  try {
    return [start[0], JSON.parse(text.slice(start[0].length))];
  } catch {
    return undefined;
  }
}

function spell(value: unknown, isSorted: boolean, depth: number): string {
  if (depth > MAX_DEPTH) return JSON.stringify(value);
  if (typeof value === "string") {
    const inner = parse(value);
    return inner === undefined ? JSON.stringify(value) : `<${spell(inner, isSorted, depth + 1)}>`;
  }
  if (Array.isArray(value)) return `[${value.map((each) => spell(each, isSorted, depth + 1)).join()}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}:${spell(each, isSorted, depth + 1)}`,
  );
  return `{${(isSorted ? fields.sort() : fields).join()}}`;
}
