import type { HostFunction } from "./describe-host.ts";
import { encodeValue } from "./encode-value.ts";
import { readJson } from "./read-json.ts";

/** What a host function gave, as JSON for the sandbox: a value (`""` for undefined) or the members of an error. */
export interface HostReply {
  succeeded: boolean;
  text: string;
}

/**
 * Calls a host function with what a script sent and waits for its outcome. Never rejects: what goes wrong, in the
 * function or in the script's message, becomes an error for the script, without a stack of this process.
 */
export async function callHost(
  target: HostFunction | undefined,
  text: string,
  limit: number,
): Promise<HostReply> {
  if (!target) return refuse("There is no such host function");
  try {
    const encoded = encodeValue(await target.call(readParameters(text)), limit);
    switch (encoded.kind) {
      case "json":
        return { succeeded: true, text: encoded.text };
      case "undefined":
        return { succeeded: true, text: "" };
      case "too-large":
        return refuse(`${target.path} returned more than ${limit} characters. Ask it for less.`);
    }
  } catch (error) {
    return refuseWith(error);
  }
}

/** Each argument arrives in an array of its own; an empty one is `undefined`. */
function readParameters(text: string): unknown[] {
  const wrapped = readJson(text);
  if (!Array.isArray(wrapped)) throw new TypeError("The arguments cannot be read");
  return wrapped.map((parameter: unknown) =>
    Array.isArray(parameter) ? (parameter[0] as unknown) : undefined,
  );
}

function refuse(message: string): HostReply {
  return { succeeded: false, text: JSON.stringify({ name: "Error", message }) };
}

const LONGEST_MESSAGE = 10_000;

function refuseWith(error: unknown): HostReply {
  try {
    if (!(error instanceof Error)) {
      const encoded = encodeValue(error, LONGEST_MESSAGE);
      return refuse(encoded.kind === "json" ? encoded.text : "The host function failed without saying why");
    }
    const code: unknown = "code" in error ? error.code : undefined;
    const members = {
      name: error.name,
      message: error.message.slice(0, LONGEST_MESSAGE),
      ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    };
    return { succeeded: false, text: JSON.stringify(members) };
  } catch {
    return refuse("The host function failed with an error that cannot be read");
  }
}
