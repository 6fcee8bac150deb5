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

/** What tells a call that counts tokens from a request. */
export interface CallSigns {
  /** The model of a body to Anthropic alone; undefined of every other one, which is a request. */
  readonly model: string | undefined;
  readonly hasLimit: boolean;
}

/** The signs of a body, as it was logged and read. */
export function callSigns({ body, url }: LoggedBody, { format, formats }: ReadBody): CallSigns {
  const none = { model: undefined, hasLimit: false };
  if (url?.includes("/") === true || format !== "anthropic-messages" || !isPlainObject(body)) return none;
  const { model } = body;
  const hasLimit = "max_tokens" in body;
  // A name with a proxy's prefix, or no sign of Anthropic's, may be in a body of another API, which needs no limit.
  if (typeof model !== "string" || model.includes("/") || (formats.length > 1 && !hasLimit)) return none;
  return hasLimit || !("stream" in body) ? { model, hasLimit } : none;
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

  tell({ model, hasLimit }: CallSigns): CallKind {
    if (model === undefined) return "request";
    const wasUnlimited = this.#unlimited.has(model);
    if (!hasLimit) {
      if (this.#limited.has(model)) return "count";
      this.#unlimited.add(model);
      return "request";
    }
    if (this.#limited.has(model) || (wasUnlimited && this.#isLate)) return "request";
    this.#limited.add(model);
    return wasUnlimited ? "request-after-counts" : "request";
  }

  /** From now on, bodies without a limit that came before one with it stay requests. */
  keepEarlier(): void {
    this.#isLate = true;
  }
}
