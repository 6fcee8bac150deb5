import type { ReadBody } from "@promptfold/renderer";

/** Whose rules a body's model is served by; `openai` for every other server that speaks one of these APIs, too. */
export type Provider = "anthropic" | "gemini" | "openai";

/**
 * Whose model a body was sent to, as far as its API and its model's name tell. Other models than Claude are served
 * through Anthropic's API as well: a body that names one is Anthropic's where it asks for its cache marks, and so is
 * one that names none and may be of another API, too.
 */
export function providerOf(body: ReadBody): Provider {
  const name = modelName(body) ?? "";
  if (/claude|anthropic/.test(name) || body.settings.has("anthropic_version")) return "anthropic";
  const mayBeClaude =
    body.format === "anthropic-messages"
      ? (name === "" && body.formats.length === 1) || hasMarks(body)
      : body.format === "ai-sdk" && name === "" && hasMarks(body);
  if (mayBeClaude) return "anthropic";
  return body.format === "gemini" || name.includes("gemini") ? "gemini" : "openai";
}

/** The model that a body names. */
export function modelName({ settings }: ReadBody): string | undefined {
  const model: unknown = JSON.parse(settings.get("model") ?? "null");
  return typeof model === "string" ? model : undefined;
}

/** Whether a Gemini model is of the third generation or a later one. */
export function isGemini3(body: ReadBody): boolean {
  return /gemini-[3-9]/.test(modelName(body) ?? "");
}

/** Whether a body asks Anthropic as a whole to set a mark at its end. */
export function asksForMark({ settings }: ReadBody): boolean {
  return (settings.get("cache_control") ?? "null") !== "null";
}

function hasMarks(body: ReadBody): boolean {
  return (
    (asksForMark(body) && body.blocks.length > 0) || body.blocks.some(({ mark }) => mark === "cache-control")
  );
}
