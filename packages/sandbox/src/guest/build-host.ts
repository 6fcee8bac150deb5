import type { HostShape } from "../messages.ts";
import type { StartCall } from "./create-host-calls.ts";

// Taken before any script runs, for a script may replace what is built in.
const { parse } = JSON;

/** Names that the language and `encodeValue` look up on any object. */
const askedByLanguage: ReadonlySet<string> = new Set([
  "then",
  "toJSON",
  "constructor",
  "toString",
  "valueOf",
]);

function nameFunction(path: string, call: (...parameters: unknown[]) => unknown): unknown {
  return Object.freeze(Object.defineProperty(call, "name", { value: path }));
}

/**
 * Makes what the script sees at one place of the host: data, an async function, or a frozen object without prototype.
 * `missing` notes the last name that was asked for and is not there.
 */
export function buildHost(
  shape: HostShape,
  path: string,
  start: StartCall,
  missing: { note: string },
): unknown {
  switch (shape.kind) {
    case "data":
      return shape.text === "" ? undefined : (parse(shape.text) as unknown);
    case "function":
      return nameFunction(path, (...parameters: unknown[]) => start(path, shape.target, parameters));
    case "object": {
      const members = Object.create(null) as Record<string, unknown>;
      for (const [name, member] of shape.members) {
        const value = buildHost(member, `${path}.${name}`, start, missing);
        Object.defineProperty(members, name, { value, enumerable: true });
      }
      return new Proxy(Object.freeze(members), {
        get(target, name) {
          if (typeof name === "string" && !(name in target) && !askedByLanguage.has(name)) {
            const names = Object.keys(target).slice(0, 30).join(", ");
            missing.note = `${path} has no ${name.slice(0, 100)}; it has: ${names === "" ? "nothing" : names}`;
          }
          return Reflect.get(target, name) as unknown;
        },
      });
    }
  }
}
