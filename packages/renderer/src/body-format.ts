import { isPlainObject } from "@promptfold/contract";

/** The shapes of provider bodies that can be read: whose API the body speaks. */
export type BodyFormat = "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini" | "ai-sdk";

/**
 * Tells from a body's own fields which API it speaks, or undefined when it has the fields of none. Chat Completions,
 * Anthropic and the AI SDK all have `messages`; a top-level `system` or a block type that only one of them has
 * decides, and without either the body reads as Chat Completions.
 */
export function detectFormat(body: Readonly<Record<string, unknown>>): BodyFormat | undefined {
  if (Array.isArray(body["contents"]) || typeof body["contents"] === "string") return "gemini";
  const { messages } = body;
  if (!Array.isArray(messages)) {
    // An embedding call has an input, too, but no model reads it as a prompt.
    const isPrompt = body["input"] !== undefined && !/embed/.test(String(body["model"]));
    return isPrompt ? "openai-responses" : undefined;
  }
  if (isAiSdk(body, messages)) return "ai-sdk";
  return isAnthropic(body, messages) ? "anthropic-messages" : "openai-chat";
}

const aiSdkParts: ReadonlySet<unknown> = new Set(["tool-call", "tool-result", "reasoning", "file"]);
const anthropicParts: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "document",
  "server_tool_use",
]);

function isAiSdk(body: Readonly<Record<string, unknown>>, messages: readonly unknown[]): boolean {
  if (body["instructions"] !== undefined || body["maxOutputTokens"] !== undefined) return true;
  const { system } = body;
  if (isPlainObject(system) || (Array.isArray(system) && isPlainObject(system[0]) && "role" in system[0])) {
    return true;
  }
  return messages.some(
    (message) =>
      isPlainObject(message) &&
      ("providerOptions" in message ||
        partsOf(message).some((part) => aiSdkParts.has(part["type"]) || "providerOptions" in part)),
  );
}

function isAnthropic(body: Readonly<Record<string, unknown>>, messages: readonly unknown[]): boolean {
  if (body["system"] !== undefined || body["anthropic_version"] !== undefined) return true;
  const { model, tools } = body;
  if (Array.isArray(tools) && tools.some((tool) => isPlainObject(tool) && "input_schema" in tool))
    return true;
  // Before any mark: proxies take marks in Chat Completions, too, and there may be none in the first request.
  if (
    hasChatTools(tools) ||
    messages.some((message) => isPlainObject(message) && isChatRole(message["role"]))
  )
    return false;
  if (typeof model === "string" && /(?:^|[./])claude/.test(model)) return true;
  return messages.some(
    (message) =>
      isPlainObject(message) &&
      partsOf(message).some((part) => anthropicParts.has(part["type"]) || "cache_control" in part),
  );
}

function hasChatTools(tools: unknown): boolean {
  return Array.isArray(tools) && tools.some((tool) => isPlainObject(tool) && "function" in tool);
}

function isChatRole(role: unknown): boolean {
  return role === "system" || role === "developer" || role === "tool";
}

function partsOf(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  const { content } = message;
  return Array.isArray(content) ? content.filter(isPlainObject) : [];
}
