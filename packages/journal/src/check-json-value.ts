/** Why a value cannot be a payload; `message` names the place inside it. */
export interface JsonProblem {
  readonly kind: "not-json" | "too-large";
  readonly message: string;
}

/**
 * Whether `JSON.stringify` would carry the value exactly: only null, booleans, finite numbers, strings, dense arrays and
 * plain objects, no cycle, at most `maxDepth` levels. Gives up as too large as soon as the text would exceed `maxBytes`,
 * so shared references cannot blow it up. Returns `undefined` when all is well.
 */
export function checkJsonValue(value: unknown, maxDepth: number, maxBytes: number): JsonProblem | undefined {
  const path: (string | number)[] = [];
  const ancestors = new Set<object>();
  let bytes = 0;

  const problem = (what: string): JsonProblem => ({
    kind: "not-json",
    message: `${describePath(path)} ${what}, which JSON cannot carry`,
  });

  function visitMember(key: string | number, member: unknown): JsonProblem | undefined {
    path.push(key);
    const found = visit(member);
    if (found === undefined) path.pop();
    return found;
  }

  function visitObject(object: object): JsonProblem | undefined {
    if (ancestors.has(object)) return problem("refers back to an object around it");
    if (path.length >= maxDepth) {
      return { kind: "not-json", message: `the payload nests deeper than ${String(maxDepth)} levels` };
    }
    ancestors.add(object);
    let found: JsonProblem | undefined;
    if (Array.isArray(object)) {
      // By index: iteration would skip nothing, but forEach and map would not see a hole.
      for (let index = 0; index < object.length && found === undefined; index += 1) {
        found = visitMember(index, object[index]);
      }
    } else {
      const unfit = notPlain(object);
      if (unfit !== undefined) return problem(unfit);
      for (const key of Object.keys(object)) {
        bytes += key.length + 3;
        found = visitMember(key, (object as Record<string, unknown>)[key]);
        if (found !== undefined) break;
      }
    }
    ancestors.delete(object);
    return found;
  }

  function visit(member: unknown): JsonProblem | undefined {
    bytes += typeof member === "string" ? member.length + 3 : 2;
    // A lower bound of the text: every member takes at least one character and a separator.
    if (bytes - 2 > maxBytes) return { kind: "too-large", message: "the payload is too large" };
    switch (typeof member) {
      case "string":
      case "boolean":
        return undefined;
      case "number":
        return Number.isFinite(member) || maxBytes === Infinity ? undefined : problem(`is ${String(member)}`);
      case "object":
        return member === null ? undefined : visitObject(member);
      case "undefined":
        return problem("is undefined");
      case "bigint":
      case "function":
      case "symbol":
        return problem(`is a ${typeof member}`);
      default:
        return problem("is of an unknown kind");
    }
  }

  return visit(value);
}

function notPlain(object: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  // An object from another realm (a worker, a vm) has another Object.prototype, whose own prototype is null.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const name = (object.constructor as { name?: unknown } | undefined)?.name;
    return `is ${typeof name === "string" && name !== "" ? `a ${name}` : "not a plain object"}`;
  }
  if (typeof (object as { toJSON?: unknown }).toJSON === "function") return "has a toJSON method";
  if (Object.getOwnPropertySymbols(object).length > 0) return "has a symbol for a key";
  return undefined;
}

function describePath(path: readonly (string | number)[]): string {
  const shown = path.slice(0, 8).map((key) => {
    if (typeof key === "number") return `[${String(key)}]`;
    return /^[\w$]{1,64}$/.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 64))}]`;
  });
  return `payload${shown.join("")}${path.length > 8 ? "…" : ""}`;
}
