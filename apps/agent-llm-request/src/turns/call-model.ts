import type { RenderedRequest } from "@promptfold/renderer";
import type { Clock } from "../clock.ts";
import type { ModelAdapter, ModelReply } from "../models/model.ts";

/** How a model call ended. */
export type CallOutcome =
  | { readonly kind: "replied"; readonly reply: ModelReply }
  | { readonly kind: "interrupted"; readonly partialText: string }
  | { readonly kind: "expired" }
  | { readonly kind: "failed"; readonly message: string };

/** What one call needs besides the model. */
export interface CallModelOptions {
  readonly render: () => RenderedRequest;
  readonly clock: Clock;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly signals: readonly AbortSignal[];
}

/**
 * Calls a model until it replies, fails, expires or is interrupted. Never throws, and never outlives its time: an
 * adapter that ignores its signal is left behind.
 */
export async function callModel(
  model: ModelAdapter,
  { render, clock, expiresAt, signals }: CallModelOptions,
): Promise<CallOutcome> {
  const expiry = new AbortController();
  const signal = AbortSignal.any([...signals, expiry.signal]);
  const cancelExpiry =
    expiresAt === Infinity
      ? () => undefined
      : clock.at(expiresAt, () => {
          expiry.abort("expired");
        });
  let partialText = "";
  const onText = (text: string): void => {
    partialText += text;
  };
  const aborted = new Promise<"aborted">((resolve) => {
    signal.addEventListener("abort", () => {
      resolve("aborted");
    });
    if (signal.aborted) resolve("aborted");
  });
  const stopped = (): CallOutcome =>
    expiry.signal.aborted ? { kind: "expired" } : { kind: "interrupted", partialText };
  try {
    const { mapping, body } = render();
    const reply = await Promise.race([model.call({ mapping, body, signal, onText }), aborted]);
    return reply === "aborted" ? stopped() : { kind: "replied", reply };
  } catch (error) {
    if (signal.aborted) return stopped();
    return { kind: "failed", message: error instanceof Error ? error.message : String(error) };
  } finally {
    cancelExpiry();
  }
}
