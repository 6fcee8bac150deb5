import { isPlainObject } from "@promptfold/contract";
import type { ReadBody } from "@promptfold/renderer";
import { sortedJson } from "../causes/json-spelling.ts";
import type { CacheRules } from "./cache-rules.ts";

/** A setting that is part of what is cached. */
export interface CacheSetting {
  readonly name: string;
  /** What a cache can still give when it changes: nothing, or the tools and the system text. */
  readonly keeps: "nothing" | "lead";
}

/** Where Gemini's bodies name what the server keeps of the prompt, in the words of its API and its SDK. */
export const cachedContentFields: readonly string[] = ["cachedContent", "cached_content"];

const ofPrompt = [
  "model",
  "response_format",
  "text",
  "output_format",
  // It stands before all that is in the body.
  ...cachedContentFields,
].map((name): CacheSetting => ({ name, keeps: "nothing" }));
const ofMessages = ["tool_choice", "thinking"].map((name): CacheSetting => ({ name, keeps: "lead" }));

/**
 * The settings whose change by itself empties a cache: those of any API that are part of the prompt, and Anthropic's
 * that are part of its messages, through whatever API its model is reached.
 */
export function cacheSettings({ kind }: CacheRules): readonly CacheSetting[] {
  return kind === "marks" ? withMessages : ofPrompt;
}

const withMessages: readonly CacheSetting[] = [...ofPrompt, ...ofMessages];

/** What settings are when they are left out, in each API's words. */
const defaults: Readonly<Record<string, ReadonlySet<string>>> = {
  response_format: new Set(['{"type":"text"}']),
  text: new Set(['{"type":"text"}']),
  tool_choice: new Set(['"auto"', '{"type":"auto"}']),
  thinking: new Set(['{"type":"disabled"}']),
};

/**
 * What a setting is as far as a cache is concerned; undefined for one that is left out or says what holds without it.
 * Settings of messages are choices, whose keys have no order. That of a format has one: the model writes by it.
 */
export function settingValue({ settings }: ReadBody, { name, keeps }: CacheSetting): string | undefined {
  const value = settings.get(name) ?? "null";
  const part = name === "text" ? formatOf(value) : value;
  const sorted = sortedJson(part);
  if (sorted === "null" || defaults[name]?.has(sorted) === true) return undefined;
  return keeps === "nothing" ? part : sorted;
}

/** Of the Responses API's settings for text the format alone is part of the prompt. */
function formatOf(text: string): string {
  const value: unknown = JSON.parse(text);
  return JSON.stringify(isPlainObject(value) ? (value["format"] ?? null) : value);
}
