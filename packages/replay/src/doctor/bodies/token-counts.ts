import { isPlainObject } from "@promptfold/contract";
import type { ReadBody } from "@promptfold/renderer";
import type { LoggedBody } from "./unwrap-body.ts";

/**
 * What a body is: a `request`; a `count`, which asks how many tokens a prompt has, costs nothing and caches nothing; or
 * the first request by which `earlier` bodies to the same model turn out to be counts.
 */
export type CallKind = "request" | "count" | "request-after-counts";

/** Whether a body was sent to be counted, as far as its address tells: Anthropic's, Bedrock's, Gemini's and OpenAI's. */
export function isCountAddress(url: string | undefined): boolean {
  return /(?:\/count[_-]tokens|:countTokens|\/responses\/input_tokens)(?=$|[?:#/])/.test(url ?? "");
}

/**
 * Tells calls that count tokens from requests. Without an address, a body to Anthropic that has no `max_tokens`, which
 * every request has to have, is a count where others to the same model have it; where none has, the log leaves it out.
 */
export class TokenCounts {
  /** Models to which bodies with a limit were sent, and those to which some without one were. */
  readonly #limited = new Set<string>();
  readonly #unlimited = new Set<string>();
  #isLate = false;

  tell({ body, url }: LoggedBody, { format, formats }: ReadBody): CallKind {
    if (isCountAddress(url)) return "count";
    if (url?.includes("/") === true || !isPlainObject(body)) return "request";
    // What may be a body of another API needs no limit.
    if (format !== "anthropic-messages" || (formats.length > 1 && !("max_tokens" in body))) return "request";
    const { model } = body;
    // A name with a proxy's prefix may be in a body of Chat Completions, which need no limit.
    if (typeof model !== "string" || model.includes("/")) return "request";
    const wasUnlimited = this.#unlimited.has(model);
    if ("max_tokens" in body) {
      if (this.#limited.has(model) || (wasUnlimited && this.#isLate)) return "request";
      this.#limited.add(model);
      return wasUnlimited ? "request-after-counts" : "request";
    }
    if ("stream" in body) return "request";
    if (this.#limited.has(model)) return "count";
    this.#unlimited.add(model);
    return "request";
  }

  /** From now on, bodies without a limit that came before one with it stay requests. */
  keepEarlier(): void {
    this.#isLate = true;
  }
}
