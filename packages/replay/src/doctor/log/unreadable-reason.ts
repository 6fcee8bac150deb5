import { isPlainObject } from "@promptfold/contract";
import { type BodyFormat, detectFormat } from "@promptfold/renderer";
import { harEntries, isListOfBodies, isListOfMessages } from "./unwrap-body.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Why a value is no body, where its own fields say more than that it is none. */
export function unreadableReason(body: unknown, format: BodyFormat | undefined): string | undefined {
  if (Array.isArray(body)) return listFault(body);
  return isPlainObject(body) ? (formatFault(body, format) ?? fieldFault(body, format)) : undefined;
}

/** Why a list is not the messages of one body. */
function listFault(list: readonly unknown[]): string | undefined {
  if (isListOfBodies(list)) return "it is a list of bodies; give each of them by itself";
  return isListOfMessages(list) ? undefined : "it is a list, but neither of bodies nor of messages";
}

/** Why a body is none of the format that was named, or of one that is read. */
function formatFault(body: Fields, format: BodyFormat | undefined): string | undefined {
  if (["inferenceConfig", "toolConfig"].some((name) => isPlainObject(body[name])) && "messages" in body)
    return "it is a body of Bedrock's Converse API, which is not read; its InvokeModel bodies are";
  if (format === undefined) return undefined;
  const field = format === "gemini" ? "contents" : format === "openai-responses" ? "input" : "messages";
  if ((body[field] ?? null) !== null) return undefined;
  return `it has no \`${field}\`, which every body of ${format} has`;
}

/** Why an object that has a field of a body is none. */
function fieldFault(body: Fields, format: BodyFormat | undefined): string | undefined {
  if ((format ?? detectFormat(body)) !== undefined) return undefined;
  if (harEntries(body) !== undefined) {
    return "it is a HAR file in which no request has a body of a known API; save it with the content of its requests";
  }
  const has = (name: string): boolean => (body[name] ?? null) !== null;
  if (has("messages")) return "its `messages` is no list; it is no body, or its log keeps it in another form";
  if (has("contents")) return "its `contents` is neither a list nor a text; it is no body of Gemini";
  if (!has("input")) return undefined;
  const { input, model } = body;
  if (typeof input !== "string" && !Array.isArray(input))
    return "its `input` is neither a list nor a text; it is no body, or its log keeps it in another form";
  const [purpose = "embeddings"] = /moderation|tts/.exec(String(model)) ?? [];
  return `it is a call for ${purpose === "tts" ? "speech" : purpose}, which has an \`input\` and no prompt that could be cached; leave it out`;
}
