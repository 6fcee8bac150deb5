import { isPlainObject } from "@promptfold/contract";
import type { BodyContent } from "../bodies/body-content.ts";

/** Fields in which logs keep the response beside its request. */
const wrappers = ["response", "output", "result", "body", "data", "json", "content", "text"];

/** The identifier of the response that a log's line keeps beside a body of the Responses API. */
export function findResponseId(line: unknown): string | undefined {
  return findId(typeof line === "string" && line.includes('"resp_') ? parseJson(line) : line, false, 0);
}

/** The identifier of the response that a body goes on from. */
export function previousResponseId({ body }: BodyContent): string | undefined {
  const json = body.settings.get("previous_response_id");
  const id: unknown = json === undefined ? undefined : JSON.parse(json);
  return typeof id === "string" ? id : undefined;
}

function findId(value: unknown, isResponse: boolean, depth: number): string | undefined {
  if (depth > 4) return undefined;
  if (typeof value === "string") return isResponse ? findIdInText(value, depth) : undefined;
  if (!isPlainObject(value)) return undefined;
  const { id } = value;
  if (isResponse && typeof id === "string" && id.startsWith("resp_")) return id;
  for (const name of wrappers) {
    // The first is the response's own; the others stand inside it.
    if (!isResponse && name !== "response" && name !== "output" && name !== "result") continue;
    const found = Object.hasOwn(value, name) ? findId(value[name], true, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** In JSON text, or in the events of a stream, each of which has the response's own identifier first. */
function findIdInText(text: string, depth: number): string | undefined {
  if (!text.includes('"resp_')) return undefined;
  const value = parseJson(text);
  return value === undefined ? /"id":\s*"(resp_\w+)"/.exec(text)?.[1] : findId(value, true, depth + 1);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
