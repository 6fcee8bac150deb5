import { isPlainObject } from "@promptfold/contract";

/** Fields in which logs keep a response. */
const wrappers = ["response", "body", "output", "result", "data", "json"];
const MAX_DEPTH = 3;

/**
 * Whether a value is what a model answered, or an event of it, by itself or in a log's object: of Chat Completions,
 * Responses, Anthropic or Gemini. Ask of what is no request alone.
 */
export function isResponse(value: unknown, depth = 0): boolean {
  const fields = typeof value === "string" ? parseJson(value) : value;
  if (!isPlainObject(fields)) return false;
  const { object, type, role, error } = fields;
  if (Array.isArray(fields["choices"]) || Array.isArray(fields["candidates"])) return true;
  if (object === "response" || object === "chat.completion" || object === "chat.completion.chunk")
    return true;
  if (type === "message" && role === "assistant" && "usage" in fields) return true;
  if (typeof type === "string" && eventTypes.test(type)) return true;
  // `{ "type": "error", "error": { … } }`, and without the type elsewhere.
  if (isPlainObject(error) && typeof error["message"] === "string") return true;
  return depth < MAX_DEPTH && wrappers.some((name) => isResponse(fields[name], depth + 1));
}

/** Whether a log's object has a request in it, of whatever kind. */
export function hasRequest(value: unknown): boolean {
  return isPlainObject(value) && requests.some((name) => (value[name] ?? undefined) !== undefined);
}

const requests = ["request", "requestBody", "request_body", "prompt", "messages", "input", "contents"];
const eventTypes =
  /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping|response\.[a-z_.]+)$/;

function parseJson(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
