/** Why a value cannot be a payload; `message` names the place inside it. */
export interface JsonProblem {
  readonly kind: "not-json" | "too-large";
  readonly message: string;
  /** What reading the value threw. */
  readonly cause?: unknown;
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
  try {
    return { problem: undefined, copy: new JsonCopier(maxDepth, maxBytes).visit(value) };
  } catch (error) {
    return { problem: asUnfit(error).problem() };
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

/** Whether a value that was parsed from JSON holds a number that its text made infinite; it must be bounded in depth. */
export function holdsInfinity(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsInfinity);
  for (const key of Object.keys(value)) {
    if (holdsInfinity((value as Record<string, unknown>)[key])) return true;
  }
  return false;
}

type Unfit = "too-large" | "too-deep" | "unreadable" | "unfit";

/**
 * Thrown where the copy fails; each level around it adds its key and itself, so that a copy that works keeps no account of
 * where it is. A value that refers back to an object around it is found as one that never ends.
 */
class UnfitValue extends Error {
  readonly #kind: Unfit;
  /** From the inside to the outside. */
  readonly #around: { readonly object: object; readonly key: string | number }[] = [];

  constructor(kind: Unfit, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.#kind = kind;
  }

  add(object: object, key: string | number): void {
    this.#around.push({ object, key });
  }

  problem(): JsonProblem {
    const around = this.#around.toReversed();
    const seen = new Set<object>();
    const again = around.findIndex(({ object }) => seen.size === seen.add(object).size);
    if (again >= 0) return notJson(around.slice(0, again), "refers back to an object around it");
    if (this.#kind === "too-large") return { kind: "too-large", message: this.message };
    if (this.#kind === "too-deep") return { kind: "not-json", message: this.message };
    if (this.#kind === "unreadable") {
      const path = describePath(around.map(({ key }) => key));
      return { kind: "not-json", message: `${path} cannot be read: ${this.message}`, cause: this.cause };
    }
    return notJson(around, this.message);
  }
}

/** The account of what was thrown: by a getter or a proxy, unless it is one already. */
function asUnfit(error: unknown): UnfitValue {
  if (error instanceof UnfitValue) return error;
  const message = error instanceof Error ? error.message : "reading it threw what is no error";
  return new UnfitValue("unreadable", message, { cause: error });
}

function notJson(around: readonly { readonly key: string | number }[], what: string): JsonProblem {
  const path = around.map(({ key }) => key);
  return { kind: "not-json", message: `${describePath(path)} ${what}, which JSON cannot carry` };
}

class JsonCopier {
  readonly #maxDepth: number;
  readonly #maxBytes: number;
  #depth = 0;
  #bytes = 0;

  constructor(maxDepth: number, maxBytes: number) {
    this.#maxDepth = maxDepth;
    this.#maxBytes = maxBytes;
  }

  visit(member: unknown): unknown {
    this.#bytes += typeof member === "string" ? member.length + 3 : 2;
    // A lower bound of the text: every member takes at least one character and a separator.
    if (this.#bytes - 2 > this.#maxBytes) {
      throw new UnfitValue("too-large", "the payload is too large");
    }
    switch (typeof member) {
      case "string":
      case "boolean":
        return member;
      case "number":
        if (!Number.isFinite(member)) throw new UnfitValue("unfit", `is ${member}`);
        // JSON writes -0 as 0.
        return member === 0 ? 0 : member;
      case "object":
        return member === null ? null : this.#visitObject(member);
      case "undefined":
        throw new UnfitValue("unfit", "is undefined");
      case "bigint":
      case "function":
      case "symbol":
        throw new UnfitValue("unfit", `is a ${typeof member}`);
      default:
        throw new UnfitValue("unfit", "is of an unknown kind");
    }
  }

  #visitObject(object: object): unknown {
    if (this.#depth >= this.#maxDepth) {
      throw new UnfitValue("too-deep", `the payload nests deeper than ${this.#maxDepth} levels`);
    }
    const problem = Array.isArray(object) ? converts(object) : notPlain(object);
    if (problem !== undefined) throw new UnfitValue("unfit", problem);
    this.#depth += 1;
    const copy = Array.isArray(object) ? this.#copyArray(object) : this.#copyObject(object);
    this.#depth -= 1;
    return copy;
  }

  #copyArray(array: readonly unknown[]): unknown[] {
    const copy: unknown[] = [];
    let index = 0;
    try {
      // By index: iteration would skip nothing, but forEach and map would not see a hole.
      for (; index < array.length; index += 1) copy.push(this.visit(array[index]));
    } catch (error) {
      const unfit = asUnfit(error);
      unfit.add(array, index);
      throw unfit;
    }
    if (Object.keys(array).length > array.length || Object.getOwnPropertySymbols(array).length > 0)
      throw new UnfitValue("unfit", "is an array with members that have names");
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
      const unfit = asUnfit(error);
      unfit.add(object, at);
      throw unfit;
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

function describePath(path: readonly (string | number)[]): string {
  const shown = path.slice(0, 8).map((key) => {
    if (typeof key === "number") return `[${key}]`;
    return /^[\w$]{1,64}$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 64))}]`;
  });
  return `payload${shown.join("")}${path.length > 8 ? "…" : ""}`;
}
