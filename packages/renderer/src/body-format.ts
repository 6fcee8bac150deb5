import { isPlainObject } from "@promptfold/contract";

/** The shapes of provider bodies that can be read: whose API the body speaks. */
export type BodyFormat = "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini" | "ai-sdk";

type Fields = Readonly<Record<string, unknown>>;

/** Which API a body speaks, as {@link possibleFormats} tells it: the likeliest. Undefined for what is no body. */
export function detectFormat(body: Fields): BodyFormat | undefined {
  return possibleFormats(body)[0];
}

/**
 * Tells from a body's own fields which APIs it may speak, the likeliest first; none when it has the fields of none.
 * Chat Completions, Anthropic and the AI SDK all have `messages`, and one format is left where there is a setting, a
 * tool or a part that only one of them has. A text conversation may be of several: it reads the same in each.
 */
export function possibleFormats(body: Fields): readonly BodyFormat[] {
  if (Array.isArray(body["contents"]) || typeof body["contents"] === "string") return ["gemini"];
  const { messages } = body;
  if (!Array.isArray(messages)) return isPrompt(body) ? ["openai-responses"] : [];
  const hasSystem = (body["system"] ?? undefined) !== undefined;
  const seen = lookAt(messages);
  if (seen.aiSdk || hasAiSdkFields(body)) return ["ai-sdk"];
  if (hasAnthropicFields(body)) return ["anthropic-messages"];
  if (!hasSystem && (seen.chat || hasChatFields(body))) return ["openai-chat"];
  // A gateway takes its options in Chat Completions, too.
  if ("providerOptions" in body) return ["ai-sdk"];
  if (seen.anthropic) return ["anthropic-messages"];
  const isWire = wireFields.some((name) => name in body);
  const all = (...formats: BodyFormat[]): BodyFormat[] =>
    isWire ? formats.filter((format) => format !== "ai-sdk") : formats;
  if (!hasSystem && seen.system) return all("openai-chat", "ai-sdk");
  if (hasSystem) return all("anthropic-messages", "ai-sdk");
  // Marks come last: proxies take them in Chat Completions, too, and there may be none in the first request.
  const isClaude = typeof body["model"] === "string" && /(?:^|[./])claude/.test(body["model"]);
  return isClaude || seen.marked
    ? all("anthropic-messages", "openai-chat", "ai-sdk")
    : all("openai-chat", "ai-sdk", "anthropic-messages");
}

/** Whether a body's `input` is a prompt: calls for embeddings, moderation and speech have one, too, and logs call their own so. */
function isPrompt({ input, model }: Fields): boolean {
  if (/embed|moderation|tts/.test(String(model))) return false;
  return (
    typeof input === "string" || (Array.isArray(input) && (input.length === 0 || input.some(isPlainObject)))
  );
}

/** Settings as they go over the wire, which the AI SDK names in another way. */
const wireFields = ["max_tokens", "stream", "top_p", "top_k", "stop", "stop_sequences", "tool_choice"];
const aiSdkFields = [
  "instructions",
  "maxOutputTokens",
  "toolChoice",
  "topP",
  "topK",
  "stopSequences",
  "presencePenalty",
  "frequencyPenalty",
];
const chatFields = [
  "max_completion_tokens",
  "response_format",
  "stream_options",
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "reasoning_effort",
  "prompt_cache_key",
];

function hasAiSdkFields(body: Fields): boolean {
  if (aiSdkFields.some((name) => body[name] !== undefined)) return true;
  const { system, tools, model } = body;
  // Tools are named by the keys of an object; a model is one with its settings.
  if (isPlainObject(tools) || (isPlainObject(model) && "modelId" in model)) return true;
  return isPlainObject(system) || (Array.isArray(system) && isPlainObject(system[0]) && "role" in system[0]);
}

function hasAnthropicFields(body: Fields): boolean {
  const { system, tools } = body;
  if (body["anthropic_version"] !== undefined || Array.isArray(system)) return true;
  return Array.isArray(tools) && tools.some((tool) => isPlainObject(tool) && "input_schema" in tool);
}

function hasChatFields(body: Fields): boolean {
  const { tools } = body;
  if (chatFields.some((name) => body[name] !== undefined)) return true;
  return Array.isArray(tools) && tools.some((tool) => isPlainObject(tool) && "function" in tool);
}

/** What messages have that not every API has. */
interface Seen {
  aiSdk: boolean;
  anthropic: boolean;
  chat: boolean;
  /** A system message among the others, as all but Anthropic's older models take it. */
  system: boolean;
  marked: boolean;
}

function lookAt(messages: readonly unknown[]): Seen {
  const seen: Seen = { aiSdk: false, anthropic: false, chat: false, system: false, marked: false };
  for (const message of messages) {
    if (!isPlainObject(message)) continue;
    const { role, content } = message;
    seen.system ||= role === "system";
    seen.aiSdk ||= "providerOptions" in message;
    seen.chat ||= isOfChat(message);
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      if (!isPlainObject(part)) continue;
      seen.marked ||= "cache_control" in part;
      const { type } = part;
      // Nearly all parts are texts, which every API has.
      if (type !== "text" || "providerOptions" in part) lookAtPart(part, seen);
    }
  }
  return seen;
}

function isOfChat(message: Fields): boolean {
  const { role, content } = message;
  if (role === "developer" || role === "function") return true;
  return (role === "tool" && !Array.isArray(content)) || "tool_calls" in message || "tool_call_id" in message;
}

/** Parts of the same name mean something else in another API: its own fields tell it. */
function lookAtPart(part: Fields, seen: Seen): void {
  const { type } = part;
  switch (type) {
    case "tool-call":
    case "tool-result":
    case "tool-approval-request":
    case "tool-approval-response":
      seen.aiSdk = true;
      break;
    case "reasoning":
      seen.aiSdk ||= typeof part["text"] === "string";
      break;
    case "file":
      // `{ file: { file_data } }` is OpenAI's, `{ file_id }` Mistral's.
      if ("mediaType" in part || "mimeType" in part) seen.aiSdk = true;
      else seen.chat ||= "file" in part || "file_id" in part;
      break;
    case "thinking":
      // Mistral's is a list; others that have a text have no signature.
      seen.anthropic ||= "signature" in part;
      seen.chat ||= Array.isArray(part["thinking"]);
      break;
    case "image":
    case "document":
      seen.anthropic ||= isPlainObject(part["source"]);
      break;
    default:
      seen.anthropic ||= anthropicParts.has(type);
      seen.chat ||= chatParts.has(type);
  }
  seen.aiSdk ||= "providerOptions" in part;
}

const anthropicParts: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "redacted_thinking",
  "search_result",
  "container_upload",
  "server_tool_use",
  "mcp_tool_use",
  "mcp_tool_result",
]);
const chatParts: ReadonlySet<unknown> = new Set([
  "image_url",
  "input_audio",
  "audio_url",
  "video_url",
  "document_url",
  "refusal",
  "reference",
]);
