import { isPlainObject } from "@promptfold/contract";

type Config = Readonly<Record<string, unknown>>;

/** Below this depth an object replaces as a whole: no configuration is nested so deep, and hostile input ends here. */
const MAX_DEPTH = 64;

/** A configuration with a patch over it: own keys merge deeply, arrays and scalars replace, `null` removes. */
export function mergeConfig(base: Config, patch: Config, depth = 0): Config {
  // A Map, since a key named like a prototype member is a key like any other.
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (isPlainObject(value) && depth < MAX_DEPTH) {
      const current = merged.get(key);
      merged.set(key, mergeConfig(isPlainObject(current) ? current : {}, value, depth + 1));
    } else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}
