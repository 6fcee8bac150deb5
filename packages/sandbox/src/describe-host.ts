import { encodeValue } from "./encode-value.ts";
import { InvalidHostError } from "./invalid-host-error.ts";
import type { HostShape } from "./messages.ts";

/** What a script is handed: plain objects of functions (sync or async), plain data and more such objects. */
export interface Host {
  // Functions take what the script passes; the host checks its own arguments.
  readonly [name: string]: unknown;
}

/** A function of the host. */
export interface HostFunction {
  /** How the script calls it, such as `host.repo.pulls`. */
  path: string;
  /** Calls it on the object it stands on. */
  call: (parameters: readonly unknown[]) => unknown;
}

/** A host as it stands when the script starts: its outline for the worker, its functions by number. */
export interface DescribedHost {
  shape: HostShape;
  functions: readonly HostFunction[];
}

const DATA_LIMIT = 8_000_000;

/**
 * Lists what a host object offers. Only own enumerable members count, so no name reaches a prototype; members are read
 * once, here.
 *
 * @throws InvalidHostError for a host, or a place in it, that is not plain, that holds itself, or that cannot be read.
 */
export function describeHost(host: Host): DescribedHost {
  const functions: HostFunction[] = [];
  const ancestors = new Set<object>();

  function describe(value: unknown, path: string, parent: object | undefined): HostShape {
    if (typeof value === "function") {
      functions.push({ path, call: (parameters) => Reflect.apply(value, parent, parameters) as unknown });
      return { kind: "function", target: functions.length - 1 };
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) return describeData(value, path);
    if (!isPlain(value)) {
      if (!isInstance(value)) return describeData(value, path);
      throw new InvalidHostError(path, "is an instance of a class", {
        remedy: "wrap its methods in a plain object",
      });
    }
    if (ancestors.has(value)) throw new InvalidHostError(path, "holds itself");
    if (ancestors.size > 50) throw new InvalidHostError(path, "lies more than 50 levels deep");
    ancestors.add(value);
    const members = Object.keys(value).map((name): [string, HostShape] => {
      const memberPath = `${path}${memberName(name)}`;
      return [name, describe(readMember(value, name, memberPath), memberPath, value)];
    });
    ancestors.delete(value);
    return { kind: "object", members };
  }

  if (typeof host !== "object" || (host as unknown) === null || Array.isArray(host) || !isPlain(host)) {
    throw new InvalidHostError("host", "is not a plain object");
  }
  return { shape: describe(host, "host", undefined), functions };
}

function describeData(value: unknown, path: string): HostShape {
  const encoded = encodeValue(value, DATA_LIMIT);
  if (encoded.kind === "too-large") {
    throw new InvalidHostError(path, `is data of more than ${DATA_LIMIT} characters`, {
      remedy: "offer a function that reads it",
    });
  }
  return { kind: "data", text: encoded.kind === "json" ? encoded.text : "" };
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // A plain object of another realm has a prototype that itself has none.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether an object belongs to a class of the program, and not to one of the language such as Date or Map. */
function isInstance(value: object): boolean {
  return Object.prototype.toString.call(value) === "[object Object]";
}

function readMember(value: object, name: string, path: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch (cause) {
    throw new InvalidHostError(path, "cannot be read: its getter throws", {
      remedy: "offer a function that reads it",
      cause,
    });
  }
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
