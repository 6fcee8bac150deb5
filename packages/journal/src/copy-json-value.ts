/** Why a value cannot be a payload; `message` names the place inside it. */
export interface JsonProblem {
  readonly kind: "not-json" | "too-large";
  readonly message: string;
}

/** A copy, or why there is none. */
export type JsonCopy =
  | { readonly problem: undefined; readonly copy: unknown }
  | { readonly problem: JsonProblem; readonly copy?: undefined };

/**
 * Copies a value that `JSON.stringify` carries exactly: only null, booleans, finite numbers, strings, dense arrays and
 * plain objects, no cycle, at most `maxDepth` levels. The copy is what `JSON.parse` gives for its text, and shares nothing
 * with the value; every member is read once, so no getter can show one thing here and another later. Gives up as too large
 * as soon as the text would exceed `maxBytes`, so shared references cannot blow it up.
 */
export function copyJsonValue(value: unknown, maxDepth: number, maxBytes: number): JsonCopy {
  const copier = new JsonCopier(maxDepth, maxBytes);
  try {
    return { problem: undefined, copy: copier.visit(value) };
  } catch (error) {
    if (!(error instanceof UnfitValue)) throw error;
    const { kind, path, message } = error;
    return { problem: { kind, message: path === undefined ? message : `${describePath(path)} ${message}` } };
  }
}

/** Whether a value that was parsed from JSON has more levels of arrays and objects than `levels`. */
export function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((member) => nestsDeeper(member, levels - 1));
  for (const key of Object.keys(value)) {
    if (nestsDeeper((value as Record<string, unknown>)[key], levels - 1)) return true;
  }
  return false;
}

/** Thrown where the copy fails; each level around it adds its key to the path, so that a copy that works builds none. */
class UnfitValue extends Error {
  readonly kind: JsonProblem["kind"];
  /** The keys that lead to the place, the last one first; `undefined` when no single place is at fault. */
  readonly path: (string | number)[] | undefined;

  constructor(kind: JsonProblem["kind"], message: string, hasPlace: boolean) {
    super(message);
    this.kind = kind;
    this.path = hasPlace ? [] : undefined;
  }
}

function unfit(what: string): UnfitValue {
  return new UnfitValue("not-json", `${what}, which JSON cannot carry`, true);
}

function within(key: string | number, error: unknown): unknown {
  if (error instanceof UnfitValue) error.path?.push(key);
  return error;
}

class JsonCopier {
  readonly #maxDepth: number;
  readonly #maxBytes: number;
  readonly #ancestors = new Set<object>();
  #bytes = 0;

  constructor(maxDepth: number, maxBytes: number) {
    this.#maxDepth = maxDepth;
    this.#maxBytes = maxBytes;
  }

  visit(member: unknown): unknown {
    this.#bytes += typeof member === "string" ? member.length + 3 : 2;
    // A lower bound of the text: every member takes at least one character and a separator.
    if (this.#bytes - 2 > this.#maxBytes) {
      throw new UnfitValue("too-large", "the payload is too large", false);
    }
    switch (typeof member) {
      case "string":
      case "boolean":
        return member;
      case "number":
        if (!Number.isFinite(member)) throw unfit(`is ${String(member)}`);
        // JSON writes -0 as 0.
        return member === 0 ? 0 : member;
      case "object":
        return member === null ? null : this.#visitObject(member);
      case "undefined":
        throw unfit("is undefined");
      case "bigint":
      case "function":
      case "symbol":
        throw unfit(`is a ${typeof member}`);
      default:
        throw unfit("is of an unknown kind");
    }
  }

  #visitObject(object: object): unknown {
    if (this.#ancestors.has(object)) throw unfit("refers back to an object around it");
    if (this.#ancestors.size >= this.#maxDepth) {
      const message = `the payload nests deeper than ${String(this.#maxDepth)} levels`;
      throw new UnfitValue("not-json", message, false);
    }
    const problem = Array.isArray(object) ? converts(object) : notPlain(object);
    if (problem !== undefined) throw unfit(problem);
    this.#ancestors.add(object);
    const copy = Array.isArray(object) ? this.#copyArray(object) : this.#copyObject(object);
    this.#ancestors.delete(object);
    return copy;
  }

  #copyArray(array: readonly unknown[]): unknown[] {
    const copy: unknown[] = [];
    let index = 0;
    try {
      // By index: iteration would skip nothing, but forEach and map would not see a hole.
      for (; index < array.length; index += 1) copy.push(this.visit(array[index]));
    } catch (error) {
      throw within(index, error);
    }
    return copy;
  }

  #copyObject(object: object): object {
    const copy: Record<string, unknown> = {};
    let at = "";
    try {
      for (const key of Object.keys(object)) {
        at = key;
        this.#bytes += key.length + 3;
        const value = this.visit((object as Record<string, unknown>)[key]);
        if (key === "__proto__") define(copy, key, value);
        else copy[key] = value;
      }
    } catch (error) {
      throw within(at, error);
    }
    return copy;
  }
}

/** Assigning `__proto__` would set the prototype; JSON.parse makes a member of it. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function notPlain(object: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  // An object from another realm (a worker, a vm) has another Object.prototype, whose own prototype is null.
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
    const name = (object.constructor as { name?: unknown } | undefined)?.name;
    return `is ${typeof name === "string" && name !== "" ? `a ${name}` : "not a plain object"}`;
  }
  if (Object.getOwnPropertySymbols(object).length > 0) return "has a symbol for a key";
  return converts(object);
}

function converts(object: object): string | undefined {
  return typeof (object as { toJSON?: unknown }).toJSON === "function" ? "has a toJSON method" : undefined;
}

/** The place inside the payload, from its keys with the last one first. */
function describePath(path: readonly (string | number)[]): string {
  const shown = path.slice(-8).reverse();
  const keys = shown.map((key) => {
    if (typeof key === "number") return `[${String(key)}]`;
    return /^[\w$]{1,64}$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 64))}]`;
  });
  return `payload${keys.join("")}${path.length > 8 ? "…" : ""}`;
}
