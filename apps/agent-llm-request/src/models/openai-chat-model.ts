import { mappingIds } from "@promptfold/renderer";
import { createParser } from "eventsource-parser";
import { z } from "zod";
import { ModelCallError } from "./model-call-error.ts";
import { UnsupportedMappingError } from "./unsupported-mapping-error.ts";
import { type ModelAdapter, type ModelReply, type ModelUsage, UNNAMED_MODEL } from "./model.ts";

/** The model that is called where nobody names one. */
export const DEFAULT_OPENAI_MODEL = "gpt-5";

/** Where a server that speaks OpenAI's Chat Completions API stands, and what opens it. */
export interface OpenAiChatModelOptions {
  readonly apiKey: string;
  /** Default `https://api.openai.com/v1`. */
  readonly baseUrl?: string | undefined;
  /** The model for agents that name none; where it is blank, {@link DEFAULT_OPENAI_MODEL}. */
  readonly defaultModel?: string | undefined;
}

const count = z.int().nonnegative();
const Usage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count.optional() }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: count.optional() }).nullish(),
});
const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: Usage.nullish(),
  error: z.object({ message: z.string() }).nullish(),
});

/** How much of a provider's error text is recorded. */
const ERROR_TEXT_LIMIT = 2_000;

/**
 * Calls a server that speaks OpenAI's Chat Completions API, streaming. The body is sent as rendered, byte for byte; the
 * transport options `stream` and `stream_options` follow as its last two fields. A body that names no model, of a request
 * that recorded none, gets the default model: of that one request replay cannot know it.
 *
 * Calls throw ModelCallError (`model-call-failed`) with the provider's words, the key blotted out; and, before anything is
 * sent, UnsupportedMappingError (`unsupported-mapping`) for a mapping that makes no body of Chat Completions: any but
 * `openai-chat` and `openai-compatible`, whatever their versions.
 */
export function openAiChatModel(options: OpenAiChatModelOptions): ModelAdapter {
  const { apiKey, baseUrl = "https://api.openai.com/v1" } = options;
  const defaultModel = options.defaultModel?.trim() || DEFAULT_OPENAI_MODEL;
  const url = `${baseUrl.replace(/\/+$/, "")}/chat/completions`;
  const name = `openai-chat at ${new URL(url).host}`;
  return {
    name,
    defaultModel,
    async call({ mapping, body, signal, onText }) {
      if (!isChatMapping(mapping)) {
        const supported = mappingIds.filter(isChatMapping);
        throw new UnsupportedMappingError(mapping, { adapter: name, supported });
      }
      const rendered = body as { readonly model: string };
      const model = rendered.model === UNNAMED_MODEL ? defaultModel : rendered.model;
      const sent = { ...rendered, model, stream: true, stream_options: { include_usage: true } };
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
          body: JSON.stringify(sent),
          signal,
        });
        if (!response.ok || response.body === null) {
          throw new Error(`HTTP ${response.status}: ${(await response.text()).slice(0, ERROR_TEXT_LIMIT)}`);
        }
        return await readReply(response.body, onText);
      } catch (error) {
        throw new ModelCallError(withoutSecret(describe(error), apiKey), url);
      }
    },
  };
}

/** Whether a mapping makes bodies of Chat Completions. */
function isChatMapping(mapping: string): boolean {
  return /^openai-(?:chat|compatible)(?:@|$)/.test(mapping);
}

async function readReply(
  body: ReadableStream<Uint8Array>,
  onText: (text: string) => void,
): Promise<ModelReply> {
  const reply: { text: string; finishReason?: string; usage?: ModelUsage } = { text: "" };
  const stream = { isDone: false };
  const parser = createParser({
    onEvent({ data }) {
      if (data === "[DONE]") {
        stream.isDone = true;
        return;
      }
      const chunk = Chunk.parse(JSON.parse(data));
      if (chunk.error != null) throw new Error(chunk.error.message.slice(0, ERROR_TEXT_LIMIT));
      const [choice] = chunk.choices;
      const piece = choice?.delta?.content ?? "";
      if (piece !== "") onText(piece);
      reply.text += piece;
      if (choice?.finish_reason != null) reply.finishReason = choice.finish_reason;
      if (chunk.usage != null) reply.usage = readUsage(chunk.usage);
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of body) parser.feed(decoder.decode(bytes, { stream: true }));
  if (!stream.isDone && reply.finishReason === undefined)
    throw new Error("the reply broke off before its end");
  return reply;
}

function readUsage(usage: z.infer<typeof Usage>): ModelUsage {
  const cached = usage.prompt_tokens_details?.cached_tokens;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens;
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(reasoning === undefined ? {} : { reasoningOutputTokens: reasoning }),
  };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch hides the reason (connection refused, unknown host) in the cause.
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** Providers echo keys, whole or masked at the ends: blot out the key and every longer piece of it. */
function withoutSecret(text: string, secret: string): string {
  if (secret === "") return text;
  const masked = text.replaceAll(secret, "[key]").replace(/\b(?:sk|key|api)[-_][\w*.-]{8,}/gi, "[key]");
  const pieceLength = 6;
  if (secret.length < pieceLength) return masked;
  const pieces = Array.from({ length: secret.length - pieceLength + 1 }, (_, start) =>
    secret.slice(start, start + pieceLength),
  );
  return pieces.reduce((rest, piece) => rest.replaceAll(piece, "[key]"), masked);
}
