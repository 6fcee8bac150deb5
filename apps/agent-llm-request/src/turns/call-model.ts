import { type RenderedRequest, UnknownMappingError, UnknownProtocolError } from "@promptfold/renderer";
import { z } from "zod";
import type { Scheduler } from "../scheduler.ts";
import { describeError } from "../describe-error.ts";
import type { ModelAdapter, ModelReply } from "../models/model.ts";
import { UnsupportedMappingError } from "../models/unsupported-mapping-error.ts";

/** The longest reply that is recorded: with every character escaped it still fits into one event. */
const LONGEST_REPLY = 2_500_000;

const count = z.int().nonnegative();
const Usage = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count.optional(),
  cacheWriteTokens: count.optional(),
  reasoningOutputTokens: count.optional(),
});
/** What an adapter may give back. Usage that cannot be read is left out: it must not cost the reply. */
const Reply = z.object({
  text: z.string().max(LONGEST_REPLY, `the reply is longer than ${LONGEST_REPLY} characters`),
  finishReason: z.string().optional().catch(undefined),
  usage: Usage.optional().catch(undefined),
});

/** How a model call ended. */
export type CallOutcome =
  | { readonly kind: "replied"; readonly reply: ModelReply }
  | { readonly kind: "interrupted"; readonly partialText: string }
  | { readonly kind: "expired" }
  | {
      readonly kind: "failed";
      readonly message: string;
      /** Nothing was sent, and nothing will be while configuration and process stay as they are. */
      readonly isFinal?: boolean;
    };

/** What one call needs besides the model. */
export interface CallModelOptions {
  readonly render: () => RenderedRequest;
  readonly scheduler: Scheduler;
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
  { render, scheduler, expiresAt, signals }: CallModelOptions,
): Promise<CallOutcome> {
  const expiry = new AbortController();
  const signal = AbortSignal.any([...signals, expiry.signal]);
  const cancelExpiry =
    expiresAt === Infinity
      ? () => undefined
      : scheduler.at(expiresAt, () => {
          expiry.abort("expired");
        });
  let partialText = "";
  const onText = (text: string): void => {
    if (partialText.length < LONGEST_REPLY) partialText += text.slice(0, LONGEST_REPLY - partialText.length);
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
    return reply === "aborted" ? stopped() : readReply(reply);
  } catch (error) {
    if (signal.aborted) return stopped();
    return { kind: "failed", message: describeError(error), isFinal: isRefusal(error) };
  } finally {
    cancelExpiry();
  }
}

/** Whether a request was refused in this process, for a mapping or protocol that it cannot render or send. */
function isRefusal(error: unknown): boolean {
  return (
    UnsupportedMappingError.isInstance(error) ||
    UnknownMappingError.isInstance(error) ||
    UnknownProtocolError.isInstance(error)
  );
}

/** Checks what an adapter gave back; without fields that are there and undefined, which no event can hold. */
function readReply(reply: unknown): CallOutcome {
  const parsed = Reply.safeParse(reply);
  if (!parsed.success) {
    const problem = parsed.error.issues[0]?.message ?? "it cannot be read";
    return { kind: "failed", message: `the model adapter's reply cannot be used: ${problem}` };
  }
  return { kind: "replied", reply: JSON.parse(JSON.stringify(parsed.data)) as ModelReply };
}
