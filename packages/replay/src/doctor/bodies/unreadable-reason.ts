import { isPlainObject } from "@promptfold/contract";
import { type BodyFormat, detectFormat } from "@promptfold/renderer";
import { harEntries, isListOfBodies, isListOfMessages } from "./unwrap-body.ts";

/** Why a value is no body, where its own fields say more than that it is none. */
export function unreadableReason(body: unknown, format: BodyFormat | undefined): string | undefined {
  return Array.isArray(body) ? listFault(body) : fieldFault(body, format);
}

/** Why a list is not the messages of one body. */
function listFault(list: readonly unknown[]): string | undefined {
  if (isListOfBodies(list)) return "it is a list of bodies; give each of them by itself";
  return isListOfMessages(list) ? undefined : "it is a list, but neither of bodies nor of messages";
}

/** Why an object that has a field of a body is none. */
function fieldFault(body: unknown, format: BodyFormat | undefined): string | undefined {
  if (!isPlainObject(body) || (format ?? detectFormat(body)) !== undefined) return undefined;
  if (harEntries(body) !== undefined) {
    return "it is a HAR file in which no request has a body of a known API; save it with the content of its requests";
  }
  const has = (name: string): boolean => (body[name] ?? null) !== null;
  if (has("messages")) return "its `messages` is no list; it is no body, or its log keeps it in another form";
  if (has("contents")) return "its `contents` is neither a list nor a text; it is no body of Gemini";
  return has("input")
    ? "it is a call for embeddings, which has an `input` and no prompt that could be cached; leave it out"
    : undefined;
}
